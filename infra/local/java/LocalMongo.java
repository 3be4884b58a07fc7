import de.bwaldvogel.mongo.*;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.io.ByteArrayInputStream;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.*;

/**
 * A MongoDB-compatible server for one machine. Arguments: host, port, then "memory" or a file. A file is committed
 * before each write is answered. The property sluice.users names a file of users, whom the server then asks for a login
 * and for rights; sluice.certificate and sluice.key name PEM files, with which it speaks TLS alone.
 */
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
    String users = System.getProperty("sluice.users");
    MongoServer server = new MongoServer(users == null ? backend : new GuardedBackend(backend, Path.of(users)));
    String certificate = System.getProperty("sluice.certificate");
    if (certificate != null) speakTls(server, Path.of(certificate), Path.of(System.getProperty("sluice.key")));
    server.bind(a[0], Integer.parseInt(a[1]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("listening");
    Thread.currentThread().join();
  }

  private static void speakTls(MongoServer server, Path certificateFile, Path keyFile) throws Exception {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    X509Certificate[] chain = factory.generateCertificates(new ByteArrayInputStream(Files.readAllBytes(certificateFile)))
        .toArray(X509Certificate[]::new);
    byte[] key = Base64.getMimeDecoder().decode(Files.readString(keyFile).replaceAll("-----.*-----", ""));
    String algorithm = chain[0].getPublicKey().getAlgorithm();
    server.enableSsl(KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(key)), null, chain);
  }
}
