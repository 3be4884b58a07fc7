// A bank that takes Sluice's postings: verified, and stored once. `java Bank.java PORT FILE_OF_SECRETS FILE_OF_DATABASE`
// It needs `standardwebhooks` from Maven Central. SQLite takes the place of your database.
import com.standardwebhooks.Webhook;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executors;

public class Bank {
  static final int BODY_BYTES_MAX = 1_048_576;
  static List<Webhook> keys;
  static String database;

  public static void main(String[] words) throws Exception {
    // Two lines while one secret replaces the other.
    keys = Files.readAllLines(Path.of(words[1])).stream().filter(line -> !line.isBlank()).map(Webhook::new).toList();
    database = "jdbc:sqlite:" + words[2] + "?busy_timeout=4000";
    run("CREATE TABLE IF NOT EXISTS inbox (webhook_id TEXT PRIMARY KEY, path TEXT, body BLOB)");
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 128);
    server.createContext("/", Bank::take);
    server.setExecutor(Executors.newFixedThreadPool(16));
    server.start();
  }

  static void take(HttpExchange call) throws IOException {
    try (call) { // What is longer is cut, and its signature does not fit.
      byte[] body = call.getRequestBody().readNBytes(BODY_BYTES_MAX);
      if (!isSigned(new String(body, StandardCharsets.UTF_8), call.getRequestHeaders())) {
        call.sendResponseHeaders(401, -1); // Never 400: that would end the delivery.
        return;
      }
      // One transaction: the claim, and what the bank does with the message. A repeat changes nothing.
      run("INSERT INTO inbox VALUES (?, ?, ?) ON CONFLICT DO NOTHING", call.getRequestHeaders().getFirst("webhook-id"), call.getRequestURI().getPath(), body);
      call.sendResponseHeaders(202, -1); // After the commit, never before.
    } catch (SQLException error) {
      call.sendResponseHeaders(500, -1); // Sluice sends it again.
    }
  }

  static boolean isSigned(String body, Headers headers) {
    return keys.stream().anyMatch(key -> {
      try { key.verify(body, headers); return true; } catch (Exception error) { return false; }
    });
  }

  static void run(String statement, Object... values) throws SQLException {
    try (var connection = DriverManager.getConnection(database); var call = connection.prepareStatement(statement)) {
      for (int i = 0; i < values.length; i += 1) call.setObject(i + 1, values[i]);
      call.execute();
    }
  }
}
