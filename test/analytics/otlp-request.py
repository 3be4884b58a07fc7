"""Reads OTLP requests of traces in JSON, one a line, by the schema that OpenTelemetry publishes (opentelemetry-proto).

Nothing that the schema does not know is let through. Ids are hexadecimal in OTLP's JSON, and bytes in the schema: they
are put into protobuf's form first, as every collector does. Answers one line of JSON for each span.
"""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

ID_BYTES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_bytes(value, name=None):
    if isinstance(value, dict):
        return {key: with_bytes(member, key) for key, member in value.items()}
    if isinstance(value, list):
        return [with_bytes(member, name) for member in value]
    if name in ID_BYTES:
        raw = bytes.fromhex(value)
        if len(raw) != ID_BYTES[name]:
            raise ValueError(f"{name} has {len(raw)} bytes")
        return base64.b64encode(raw).decode()
    return value


for line in sys.stdin:
    request = json_format.ParseDict(with_bytes(json.loads(line)), ExportTraceServiceRequest(), ignore_unknown_fields=False)
    # Once more by the binary form, which is what another collector would be sent.
    request = ExportTraceServiceRequest.FromString(request.SerializeToString())
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                print(
                    json.dumps(
                        {
                            "traceId": span.trace_id.hex(),
                            "spanId": span.span_id.hex(),
                            "parentSpanId": span.parent_span_id.hex(),
                            "traceState": span.trace_state,
                            "name": span.name,
                            "kind": span.kind,
                            "tookNs": span.end_time_unix_nano - span.start_time_unix_nano,
                            "status": span.status.code,
                            "links": [link.span_id.hex() for link in span.links],
                            "droppedLinks": span.dropped_links_count,
                            "attributes": {
                                one.key: one.value.string_value or one.value.int_value for one in span.attributes
                            },
                        }
                    )
                )
