import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.*;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The server's side of one login by SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding. A user that does not
 * exist gets a salt that stays the same and a proof that never fits, so nobody learns who exists.
 */
class Scram {
  @SuppressWarnings("serial")
  static class Refused extends Exception {}

  record Credentials(byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {}

  private static final int NONCE_BYTES = 24;
  private static final int PAYLOAD_MAX_BYTES = 4_096;
  private static final int ITERATIONS = 15_000;
  private static final int SALT_BYTES = 16;
  private static final byte[] SECRET = randomBytes(32);

  private enum Next { FIRST, FINAL, EMPTY, DONE }

  private final boolean isShort;
  private final Function<String, Optional<Credentials>> find;
  private Next next = Next.FIRST;
  private String user;
  private Credentials credentials;
  private String nonce;
  private String exchanged;

  /** `isShort`: the login is done with the second answer; else the client sends an empty message more. */
  Scram(boolean isShort, Function<String, Optional<Credentials>> find) {
    this.isShort = isShort;
    this.find = find;
  }

  boolean isDone() {
    return next == Next.DONE;
  }

  String user() {
    return user;
  }

  byte[] answer(byte[] payload) throws Refused {
    if (payload.length > PAYLOAD_MAX_BYTES) throw new Refused();
    String text = new String(payload, StandardCharsets.UTF_8);
    try {
      switch (next) {
        case FIRST:
          return bytes(answerFirst(text));
        case FINAL:
          return bytes(answerFinal(text));
        case EMPTY:
          if (payload.length != 0) throw new Refused();
          next = Next.DONE;
          return new byte[0];
        default:
          throw new Refused();
      }
    } catch (GeneralSecurityException | IllegalArgumentException wrong) {
      throw new Refused();
    }
  }

  /** n,,n=USER,r=NONCE */
  private String answerFirst(String text) throws Refused, GeneralSecurityException {
    if (!text.startsWith("n,,n=")) throw new Refused();
    String bare = text.substring(3);
    Map<String, String> parts = parts(bare);
    user = part(parts, "n").replace("=2C", ",").replace("=3D", "=");
    nonce = part(parts, "r") + Base64.getEncoder().encodeToString(randomBytes(NONCE_BYTES));
    credentials = find.apply(user).orElse(null);
    byte[] salt = credentials == null ? Arrays.copyOf(mac(SECRET, user), SALT_BYTES) : credentials.salt;
    int iterations = credentials == null ? ITERATIONS : credentials.iterations;
    String answer = "r=" + nonce + ",s=" + Base64.getEncoder().encodeToString(salt) + ",i=" + iterations;
    exchanged = bare + "," + answer;
    next = Next.FINAL;
    return answer;
  }

  /** c=biws,r=NONCE,p=PROOF */
  private String answerFinal(String text) throws Refused, GeneralSecurityException {
    next = Next.DONE;
    int proofAt = text.lastIndexOf(",p=");
    if (proofAt < 0) throw new Refused();
    Map<String, String> parts = parts(text);
    if (credentials == null || !"biws".equals(parts.get("c")) || !nonce.equals(parts.get("r"))) throw new Refused();
    String whole = exchanged + "," + text.substring(0, proofAt);
    byte[] proof = Base64.getDecoder().decode(text.substring(proofAt + 3));
    byte[] signature = mac(credentials.storedKey, whole);
    if (proof.length != signature.length) throw new Refused();
    byte[] clientKey = new byte[proof.length];
    for (int at = 0; at < proof.length; at += 1) clientKey[at] = (byte) (proof[at] ^ signature[at]);
    byte[] storedKey = MessageDigest.getInstance("SHA-256").digest(clientKey);
    if (!MessageDigest.isEqual(storedKey, credentials.storedKey)) throw new Refused();
    next = isShort ? Next.DONE : Next.EMPTY;
    return "v=" + Base64.getEncoder().encodeToString(mac(credentials.serverKey, whole));
  }

  private static Map<String, String> parts(String text) {
    Map<String, String> parts = new HashMap<>();
    for (String one : text.split(",")) if (one.length() >= 2 && one.charAt(1) == '=') parts.put(one.substring(0, 1), one.substring(2));
    return parts;
  }

  private static String part(Map<String, String> parts, String name) throws Refused {
    String found = parts.getOrDefault(name, "");
    if (found.isEmpty()) throw new Refused();
    return found;
  }

  private static byte[] mac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] randomBytes(int count) {
    byte[] made = new byte[count];
    new SecureRandom().nextBytes(made);
    return made;
  }
}
