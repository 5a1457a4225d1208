import type { Base, ClusterTopicMetadata } from '@platformatic/kafka'
import type { KafkaSettings } from '../../config/ads-settings.ts'
import { isKafkaError, kafkaOptions, kafkaReason, loadKafka } from './kafka-client.ts'

const HOUR_MS = 3_600_000

/** The topic as the cluster has it; undefined when there is none. Rejects while no broker answers. */
export async function findTopic(
  client: Pick<Base, 'metadata'>,
  topic: string,
  forceUpdate = false,
): Promise<ClusterTopicMetadata | undefined> {
  try {
    const { topics } = await client.metadata({ topics: [topic], forceUpdate })
    return topics.get(topic)
  } catch (error) {
    const isUnknown =
      isKafkaError(error, 'UNKNOWN_TOPIC_OR_PARTITION') || (error instanceof Error && /^Unknown topic /.test(error.message))
    if (isUnknown) return undefined
    throw error
  }
}

/** Copies that must have an event before it is acknowledged (`min.insync.replicas`): all but one, so that one broker may be away. */
export function copiesInSync(replicas: number): number {
  return Math.max(1, replicas - 1)
}

/** Makes the topic when there is none; another process may make it at the same moment. Rejects while no broker answers. */
export async function requireTopic(settings: KafkaSettings): Promise<void> {
  const { Admin } = await loadKafka()
  const admin = new Admin(kafkaOptions(settings))
  const { topic, partitions, replicas, retentionHours } = settings
  try {
    if (await findTopic(admin, topic, true)) return
    const configs = [
      { name: 'retention.ms', value: String(retentionHours * HOUR_MS) },
      { name: 'min.insync.replicas', value: String(copiesInSync(replicas)) },
      // A copy that lacks acknowledged events must not become the one that is read.
      { name: 'unclean.leader.election.enable', value: 'false' },
    ]
    await admin.createTopics({ topics: [topic], partitions, replicas, configs }).catch((error: unknown) => {
      if (isKafkaError(error, 'TOPIC_ALREADY_EXISTS')) return
      throw new Error(`the topic ${topic} is not there and cannot be made: ${kafkaReason(error)}`, { cause: error })
    })
  } finally {
    await admin.close()
  }
}
