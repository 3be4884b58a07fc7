// The Kafka adapter on a real broker keeps the promises of the port.

import { describeKafka } from "./conformance.fixture.ts";
import { testConnection } from "./kafka.fixture.ts";

describeKafka({ connection: () => testConnection, replication: 1, minInsync: 1 });
