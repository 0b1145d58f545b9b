import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.cdc.connectors.mysql.source.MySqlSource;
import org.apache.flink.cdc.connectors.mysql.table.StartupOptions;
import org.apache.flink.cdc.debezium.JsonDebeziumDeserializationSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job of Flink CDC that copies the changes of one table to a topic, all in this process. */
public final class FlinkCdc {
    /** Runs the job that the property file describes. */
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        try (var reader = Files.newBufferedReader(Path.of(arguments[0]))) {
            settings.load(reader);
        }
        Configuration configuration = new Configuration();
        // The benchmark suspends the process: nothing may take that for a failure.
        configuration.setString("heartbeat.timeout", "600000");
        // As often as Kafka Connect commits its offsets.
        configuration.setString("execution.checkpointing.interval", "60s");
        configuration.setString("restart-strategy.type", "none");
        var environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(1);
        environment
                .fromSource(source(settings), WatermarkStrategy.noWatermarks(), "table")
                .sinkTo(sink(settings));
        environment.execute("Flink CDC");
    }

    private static MySqlSource<String> source(Properties settings) {
        boolean schemas = Boolean.parseBoolean(settings.getProperty("schemas"));
        return MySqlSource.<String>builder()
                .hostname(settings.getProperty("host"))
                .port(Integer.parseInt(settings.getProperty("port")))
                .username(settings.getProperty("user"))
                .password(settings.getProperty("password"))
                .databaseList(settings.getProperty("database"))
                .tableList(settings.getProperty("database") + "." + settings.getProperty("table"))
                .serverId(settings.getProperty("server.id"))
                .startupOptions(StartupOptions.latest())
                .deserializer(new JsonDebeziumDeserializationSchema(schemas))
                .build();
    }

    private static KafkaSink<String> sink(Properties settings) {
        Properties producer = new Properties();
        for (String name : settings.stringPropertyNames()) {
            if (name.startsWith("kafka.")) {
                producer.put(name.substring("kafka.".length()), settings.getProperty(name));
            }
        }
        return KafkaSink.<String>builder()
                .setKafkaProducerConfig(producer)
                .setBootstrapServers(producer.getProperty("bootstrap.servers"))
                .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
                .setRecordSerializer(
                        KafkaRecordSerializationSchema.builder()
                                .setTopic(settings.getProperty("topic"))
                                .setValueSerializationSchema(new SimpleStringSchema())
                                .build())
                .build();
    }
}
