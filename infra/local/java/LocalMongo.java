import de.bwaldvogel.mongo.*;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.*;

/** A MongoDB-compatible server for one machine. Arguments: host, port, then "memory" or a file. A file is committed before each write is answered. */
public class LocalMongo {
  static final Set<String> WRITES = Set.of("insert", "update", "delete", "findAndModify", "createIndexes", "drop");

  public static void main(String[] a) throws Exception {
    AbstractMongoBackend backend = a[2].equals("memory") ? new MemoryBackend() : new H2Backend(a[2]) {
      @Override public Document handleMessage(MongoMessage m) {
        Document answer = super.handleMessage(m);
        if (WRITES.contains(m.getDocument().keySet().iterator().next())) commit();
        return answer;
      }
    };
    backend.version(new MongoVersion() { // driver 7 wants wire version 9 or more
      public List<Integer> getVersionArray() { return List.of(7, 0, 0); }
      public int getWireVersion() { return 21; }
    });
    MongoServer server = new MongoServer(backend);
    server.bind(a[0], Integer.parseInt(a[1]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("listening");
    Thread.currentThread().join();
  }
}
