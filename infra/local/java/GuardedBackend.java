import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.bwaldvogel.mongo.*;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import de.bwaldvogel.mongo.wire.message.MongoQuery;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.nio.file.*;
import java.time.Clock;
import java.util.*;

/**
 * Stands before a backend that knows no users. A connection logs in by SCRAM-SHA-256, and then each command needs the
 * privileges that MongoDB's manual names for it. What is not listed here is refused, so a command that this class does
 * not know gives nobody anything.
 *
 * The file of users is JSON: user, isRoot, salt, iterations, storedKey, serverKey, and privileges as `createRole` takes
 * them. It is read again when it was replaced: rights change at once, also for who is logged in.
 */
class GuardedBackend implements MongoBackend {
  private static final Set<String> FREE = Set.of("hello", "isMaster", "ismaster", "ping", "buildInfo", "endSessions");
  /** Stages that read the collection of the command alone. */
  private static final Set<String> STAGES = Set.of("$match", "$group", "$sort", "$limit", "$skip", "$project", "$addFields",
      "$set", "$unset", "$unwind", "$count", "$replaceRoot", "$replaceWith", "$sortByCount", "$sample", "$indexStats");
  private static final int CURSORS_MAX = 10_000;
  private static final AttributeKey<Session> SESSION = AttributeKey.valueOf("sluice.session");
  private static final int UNAUTHORIZED = 13;
  private static final int AUTHENTICATION_FAILED = 18;

  record User(Scram.Credentials credentials, boolean isRoot, Map<String, Set<String>> rights) {
    boolean may(String database, Right right) {
      return actions(database + "." + right.collection).contains(right.action) || actions(database + ".").contains(right.action);
    }

    private Set<String> actions(String resource) {
      return rights.getOrDefault(resource, Set.of());
    }
  }

  /** The empty collection stands for the database. */
  record Right(String collection, String action) {}

  private static class Session {
    String user;
    Scram scram;
  }

  private final MongoBackend behind;
  private final Path file;
  private Object fileVersion;
  private Map<String, User> users = Map.of();
  /** Who opened a cursor, and on what: a number that somebody guessed opens nothing. */
  private final Map<Long, String> cursors = Collections.synchronizedMap(new LinkedHashMap<>() {
    @Override protected boolean removeEldestEntry(Map.Entry<Long, String> eldest) {
      return size() > CURSORS_MAX;
    }
  });

  GuardedBackend(MongoBackend behind, Path file) throws IOException {
    this.behind = behind;
    this.file = file;
    users();
  }

  @Override public Document handleMessage(MongoMessage message) {
    Document command = message.getDocument();
    String name = command.keySet().iterator().next();
    String database = message.getDatabaseName();
    Channel channel = message.getChannel();
    if (name.equals("saslStart") || name.equals("saslContinue")) return logIn(channel, name, database, command);
    if (FREE.contains(name)) return behind.handleMessage(message);
    Session session = channel.attr(SESSION).get();
    if (session == null || session.user == null) throw refusal("command " + name + " requires authentication");
    User user = users().get(session.user);
    if (user == null || !user.isRoot && !isAllowed(user, database, rightsOf(name, command))) {
      throw refusal("not authorized on " + database + " to execute command { " + name + ": " + command.get(name) + " }");
    }
    String owner = session.user + " on " + database + ".";
    requireOwnCursors(name, command, owner);
    Document answer = behind.handleMessage(message);
    noteCursor(answer, owner + command.get(name.equals("getMore") ? "collection" : name));
    return answer;
  }

  private static boolean isAllowed(User user, String database, List<Right> needed) {
    return needed != null && needed.stream().allMatch(right -> user.may(database, right));
  }

  /** Null: no right is known that would let a user do it. */
  private static List<Right> rightsOf(String name, Document command) {
    Object named = command.get(name.equals("getMore") ? "collection" : name);
    if (name.equals("listCollections")) return List.of(new Right("", "listCollections"));
    if (!(named instanceof String collection) || collection.isEmpty()) return null;
    return switch (name) {
      case "find", "count", "distinct", "getMore" -> all(collection, "find");
      case "aggregate" -> hasOwnStages(command) ? all(collection, "find") : null;
      case "insert" -> all(collection, "insert");
      case "update" -> isAnyUpsert(command) ? all(collection, "update", "insert") : all(collection, "update");
      case "delete" -> all(collection, "remove");
      case "findAndModify" -> {
        if (isTrue(command.get("remove"))) yield all(collection, "find", "remove");
        yield isTrue(command.get("upsert")) ? all(collection, "find", "update", "insert") : all(collection, "find", "update");
      }
      case "createIndexes" -> namesNoOther(command) ? all(collection, "createIndex") : null;
      case "listIndexes" -> all(collection, "listIndexes");
      case "drop" -> all(collection, "dropCollection");
      case "killCursors" -> List.of();
      default -> null;
    };
  }

  private static List<Right> all(String collection, String... actions) {
    return Arrays.stream(actions).map(action -> new Right(collection, action)).toList();
  }

  private static boolean hasOwnStages(Document command) {
    return documents(command.get("pipeline")).stream().allMatch(stage -> STAGES.containsAll(stage.keySet()));
  }

  private static boolean isAnyUpsert(Document command) {
    return documents(command.get("updates")).stream().anyMatch(one -> isTrue(one.get("upsert")));
  }

  /** The backend takes an index's collection from the index, if it says one. */
  private static boolean namesNoOther(Document command) {
    return documents(command.get("indexes")).stream().noneMatch(index -> index.containsKey("ns"));
  }

  private static List<Document> documents(Object list) {
    return list instanceof Collection<?> all ? all.stream().map(one -> (Document) one).toList() : List.of();
  }

  private static boolean isTrue(Object value) {
    return value instanceof Number number ? number.doubleValue() != 0 : Boolean.TRUE.equals(value);
  }

  private void requireOwnCursors(String name, Document command, String owner) {
    if (name.equals("getMore") && !(owner + command.get("collection")).equals(cursors.get(command.get(name)))) {
      throw refusal("the cursor was not opened by this user on this collection");
    }
    if (!name.equals("killCursors")) return;
    for (Object id : (Collection<?>) command.get("cursors")) {
      String opened = cursors.get(id);
      if (opened != null && !opened.startsWith(owner)) throw refusal("the cursor was not opened by this user");
    }
  }

  private void noteCursor(Document answer, String owner) {
    if (!(answer.get("cursor") instanceof Document cursor) || !(cursor.get("id") instanceof Number id)) return;
    if (id.longValue() != 0) cursors.put(id.longValue(), owner);
  }

  private Document logIn(Channel channel, String name, String database, Document command) {
    Session session = channel.attr(SESSION).get();
    try {
      if (!(command.get("payload") instanceof BinData payload)) throw new Scram.Refused();
      if (name.equals("saslStart")) {
        if (!"SCRAM-SHA-256".equals(command.get("mechanism")) || !"admin".equals(database)) throw new Scram.Refused();
        session = new Session();
        channel.attr(SESSION).set(session);
        boolean isShort = command.get("options") instanceof Document options && isTrue(options.get("skipEmptyExchange"));
        session.scram = new Scram(isShort, user -> Optional.ofNullable(users().get(user)).map(User::credentials));
      }
      if (session == null || session.scram == null) throw new Scram.Refused();
      byte[] answer = session.scram.answer(payload.getData());
      boolean isDone = session.scram.isDone();
      if (isDone) {
        session.user = session.scram.user();
        session.scram = null;
      }
      return new Document("conversationId", 1).append("done", isDone).append("payload", new BinData(answer)).append("ok", 1.0);
    } catch (Scram.Refused refused) {
      channel.attr(SESSION).set(null);
      throw new MongoServerError(AUTHENTICATION_FAILED, "AuthenticationFailed", "Authentication failed.");
    }
  }

  /** While the file cannot be read nobody may do anything. */
  private synchronized Map<String, User> users() {
    try {
      Object version = List.of(Files.getLastModifiedTime(file), String.valueOf(Files.readAttributes(file, "unix:ino").get("ino")));
      if (version.equals(fileVersion)) return users;
      Map<String, User> read = new HashMap<>();
      for (JsonNode one : new ObjectMapper().readTree(file.toFile()).get("users")) {
        Map<String, Set<String>> rights = new HashMap<>();
        for (JsonNode privilege : one.get("privileges")) {
          JsonNode resource = privilege.get("resource");
          String place = resource.get("db").asText() + "." + resource.get("collection").asText();
          Set<String> actions = rights.computeIfAbsent(place, key -> new HashSet<>());
          privilege.get("actions").forEach(action -> actions.add(action.asText()));
        }
        Scram.Credentials credentials = new Scram.Credentials(one.get("salt").binaryValue(), one.get("iterations").asInt(),
            one.get("storedKey").binaryValue(), one.get("serverKey").binaryValue());
        read.put(one.get("user").asText(), new User(credentials, one.get("isRoot").asBoolean(), rights));
      }
      users = read;
      fileVersion = version;
      return read;
    } catch (IOException | RuntimeException unreadable) {
      throw refusal("the file of users cannot be read");
    }
  }

  private static MongoServerError refusal(String why) {
    return new MongoServerError(UNAUTHORIZED, "Unauthorized", why);
  }

  /** A command of the old message kind: drivers send their first greeting so, and nothing else. */
  @Override public Document handleCommand(Channel channel, String database, String name, Document command) {
    if (!FREE.contains(name)) throw refusal("command " + name + " requires authentication");
    return behind.handleCommand(channel, database, name, command);
  }

  @Override public QueryResult handleQuery(MongoQuery query) {
    throw refusal("queries of the old message kind are refused");
  }

  @Override public Collection<Document> getCurrentOperations(MongoQuery query) {
    throw refusal("operations are shown to nobody");
  }

  @Override public Document getServerStatus() {
    throw refusal("the server's status is shown to nobody");
  }

  @Override public void handleClose(Channel channel) {
    channel.attr(SESSION).set(null);
    behind.handleClose(channel);
  }

  @Override public void closeCursors(List<Long> ids) {
    ids.forEach(cursors::remove);
    behind.closeCursors(ids);
  }

  @Override public void dropDatabase(String database) {
    behind.dropDatabase(database);
  }

  @Override public void close() {
    behind.close();
  }

  @Override public Clock getClock() {
    return behind.getClock();
  }

  @Override public void enableOplog() {
    behind.enableOplog();
  }

  @Override public void disableOplog() {
    behind.disableOplog();
  }

  @Override public MongoDatabase resolveDatabase(String database) {
    return behind.resolveDatabase(database);
  }

  @Override public MongoBackend version(MongoVersion version) {
    behind.version(version);
    return this;
  }
}
