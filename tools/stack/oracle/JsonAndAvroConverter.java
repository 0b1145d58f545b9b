package millrace.oracle;

import io.apicurio.registry.utils.converter.AvroConverter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.storage.Converter;

/**
 * Writes JSON, and what Apicurio's AvroConverter makes of the same key or value into a header.
 *
 * <p>So one connector shows how Java writes its records in both formats. Settings below {@code
 * avro.} are those of the AvroConverter. The header {@code oracle.avro.key} or {@code
 * oracle.avro.value} holds its bytes; if it refuses, the header's name ends in {@code .refused}.
 */
public final class JsonAndAvroConverter implements Converter {
  private static final String BELOW = "avro.";

  private final Converter json = new JsonConverter();
  private final Converter avro = new AvroConverter<>();
  private String header = "";

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    Map<String, Object> below = new HashMap<>();
    configs.forEach(
        (name, value) -> {
          if (name.startsWith(BELOW)) {
            below.put(name.substring(BELOW.length()), value);
          }
        });
    json.configure(configs, isKey);
    avro.configure(below, isKey);
    header = isKey ? "oracle.avro.key" : "oracle.avro.value";
  }

  @Override
  public byte[] fromConnectData(String topic, Headers headers, Schema schema, Object value) {
    try {
      headers.add(header, avro.fromConnectData(topic, schema, value));
    } catch (RuntimeException refused) {
      headers.add(header + ".refused", refused.toString().getBytes(StandardCharsets.UTF_8));
    }
    return json.fromConnectData(topic, headers, schema, value);
  }

  @Override
  public byte[] fromConnectData(String topic, Schema schema, Object value) {
    return json.fromConnectData(topic, schema, value);
  }

  @Override
  public SchemaAndValue toConnectData(String topic, byte[] value) {
    return json.toConnectData(topic, value);
  }
}
