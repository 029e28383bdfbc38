import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetry;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.AnyValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.KeyValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.MetricsData;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.ResourceMetrics;

/** A broker's receiver of metrics that clients push (KIP-714): sends them on to an OTLP receiver, with the client's ids. */
public class PushedMetrics implements MetricsReporter, ClientTelemetry, ClientTelemetryReceiver {
    private final HttpClient http = HttpClient.newHttpClient();
    private URI receiver;
    private String broker;

    @Override
    public void configure(Map<String, ?> configs) {
        receiver = URI.create((String) configs.get("pushed.metrics.url"));
        broker = String.valueOf(configs.get("node.id"));
    }

    @Override
    public ClientTelemetryReceiver clientReceiver() {
        return this;
    }

    @Override
    public void exportMetrics(AuthorizableRequestContext context, ClientTelemetryPayload payload) {
        try {
            MetricsData.Builder pushed = MetricsData.parseFrom(payload.data()).toBuilder();
            for (ResourceMetrics.Builder one : pushed.getResourceMetricsBuilderList()) {
                one.getResourceBuilder()
                    .addAttributes(attribute("service.name", "kafka-clients"))
                    .addAttributes(attribute("service.instance.id", "broker-" + broker))
                    .addAttributes(attribute("client_id", context.clientId()))
                    .addAttributes(attribute("client_instance_id", payload.clientInstanceId().toString()));
            }
            // MetricsData and ExportMetricsServiceRequest are the same on the wire
            HttpRequest request = HttpRequest.newBuilder(receiver)
                .header("Content-Type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(pushed.build().toByteArray()))
                .build();
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() >= 300) {
                System.err.println("not received: " + answer.statusCode() + " " + answer.body());
            }
        } catch (Exception error) {
            System.err.println("not received: " + error);
        }
    }

    private static KeyValue attribute(String name, String value) {
        return KeyValue.newBuilder().setKey(name).setValue(AnyValue.newBuilder().setStringValue(value)).build();
    }

    @Override
    public void init(List<KafkaMetric> metrics) { }

    @Override
    public void metricChange(KafkaMetric metric) { }

    @Override
    public void metricRemoval(KafkaMetric metric) { }

    @Override
    public void close() { }
}
