import type { KafkaSettings } from '../../config/ads-settings.ts'
import { findTopic } from './event-topic.ts'
import { closeClient, kafkaOptions, loadKafka } from './kafka-client.ts'

/** A topic as the cluster has it. */
export interface TopicFacts {
  readonly logId: string
  /** The first offset that is not appended yet, by partition. */
  readonly ends: readonly number[]
  /** Of the partition that has the fewest. */
  readonly replicas: number
  /** Of the partition that has the fewest copies in sync at the moment. */
  readonly inSync: number
  /** Settings of the topic by name. */
  readonly settings: Readonly<Record<string, string>>
}

/** What is read of an answer of the client. */
interface Described {
  readonly configs: readonly { readonly name: string; readonly value?: string | null | undefined }[]
}

const LOOKED_AT = ['min.insync.replicas', 'retention.ms', 'unclean.leader.election.enable']
const LATEST = -1n

/** Undefined when there is no topic. Rejects when no broker answers; throws KafkaMissing where the client is not installed. */
export async function inspectTopic(kafka: KafkaSettings): Promise<TopicFacts | undefined> {
  const { Admin, ConfigResourceTypes, Consumer } = await loadKafka()
  const { topic } = kafka
  const admin = new Admin(kafkaOptions(kafka))
  const consumer = new Consumer({ ...kafkaOptions(kafka), groupId: topic })
  try {
    const found = await findTopic(admin, topic, true)
    if (!found) return undefined
    const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic, configurationKeys: [...LOOKED_AT] }
    const described: readonly Described[] = await admin.describeConfigs({ resources: [resource] })
    const offsets = (await consumer.listOffsets({ topics: [topic], timestamp: LATEST })).get(topic) ?? []
    return {
      logId: found.id,
      ends: offsets.map(Number),
      replicas: Math.min(...found.partitions.map(({ replicas }) => replicas.length)),
      inSync: Math.min(...found.partitions.map(({ isr }) => isr.length)),
      settings: Object.fromEntries((described[0]?.configs ?? []).map(({ name, value }) => [name, value ?? ''])),
    }
  } finally {
    // An admin client takes a function where the others take whether they are in a hurry, and calls it when its connections are closed.
    await admin.close().catch(() => {})
    await closeClient(consumer)
  }
}
