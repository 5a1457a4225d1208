import type { ClusterTopicMetadata, Consumer } from '@platformatic/kafka'
import {
  type StreamMember,
  StreamOutOfRange,
  type StreamReader,
  type StreamSlice,
} from '../../ad-serving/embedded/stream/event-stream.ts'
import type { KafkaSettings } from '../../config/ads-settings.ts'
import { findTopic, requireTopic } from './event-topic.ts'
import { closeClient, isKafkaError, kafkaOptions, loadKafka } from './kafka-client.ts'

/** How long a member may be silent before its partitions are given to others, in milliseconds; what it still writes then is refused by the store. */
const SESSION_MS = 10_000
const HEARTBEAT_MS = 1_000
/** How long an answer waits for records when there are none. */
const WAIT_MS = 250
/** Of an answer, and of one partition in it: a few thousand events, which one transaction counts. */
const MOST_BYTES = 1024 * 1024
const PARTITION_BYTES = 256 * 1024
/** The last epoch that was read is not kept: the store's position says what is counted. */
const NO_EPOCH = -1
/** Timestamps that ask for the first offset of a partition, and for the one after its last (Kafka protocol, ListOffsets). */
const EARLIEST = -2n
const LATEST = -1n

/** Reads the topic in a consumer group of its name. Offsets are not committed to Kafka: they are in the store, with what they count. */
export function createKafkaReader(settings: KafkaSettings): StreamReader {
  return {
    async join() {
      const { Consumer } = await loadKafka()
      await requireTopic(settings)
      const consumer = new Consumer({
        ...kafkaOptions(settings),
        groupId: settings.topic,
        sessionTimeout: SESSION_MS,
        rebalanceTimeout: SESSION_MS,
        heartbeatInterval: HEARTBEAT_MS,
        maxWaitTime: WAIT_MS,
        maxBytes: MOST_BYTES,
        autocommit: false,
      })
      try {
        return await memberOf(consumer, settings.topic)
      } catch (error) {
        await closeClient(consumer)
        throw error
      }
    },
  }
}

async function memberOf(consumer: Consumer, topic: string): Promise<StreamMember> {
  let fault: Error | undefined
  const fail = (error: Error) => {
    fault ??= error
  }
  // The client sends no heartbeat after one that failed: whoever uses this member joins again.
  consumer.on('consumer:heartbeat:error', ({ error }) => fail(error))
  consumer.on('error', fail)
  const shape = await topicOf(consumer, topic)
  const { id: logId, partitionsCount: partitions } = shape
  consumer.topics.track(topic)
  await consumer.joinGroup({})
  return {
    ...{ logId, partitions },
    async assigned() {
      if (fault) throw fault
      return (consumer.assignments ?? []).flatMap((each) => (each.topic === topic ? each.partitions : []))
    },
    async read(positions) {
      const now = await topicOf(consumer, topic)
      if (now.id !== logId || now.partitionsCount !== partitions) throw new Error(`the topic ${topic} is another one now`)
      const answers = await Promise.all(
        byLeader(now, positions).map(([node, wanted]) =>
          consumer
            .fetch({ node, maxWaitTime: WAIT_MS, topics: [{ topicId: logId, partitions: wanted }] })
            .catch((error: unknown) => {
              if (isKafkaError(error, 'OFFSET_OUT_OF_RANGE')) throw new StreamOutOfRange('', { cause: error })
              throw error
            }),
        ),
      )
      return answers.flatMap((answer) => slicesOf(answer, positions))
    },
    async bounds(wanted) {
      const of = async (timestamp: bigint) =>
        (await consumer.listOffsets({ topics: [topic], partitions: { [topic]: [...wanted] }, timestamp })).get(topic) ?? []
      const [firsts, ends] = [await of(EARLIEST), await of(LATEST)]
      return new Map(wanted.map((each) => [each, { first: Number(firsts[each] ?? 0n), end: Number(ends[each] ?? 0n) }]))
    },
    close: () => closeClient(consumer),
  }
}

async function topicOf(consumer: Consumer, topic: string): Promise<ClusterTopicMetadata> {
  const found = await findTopic(consumer, topic)
  if (!found) throw new Error(`the topic ${topic} is gone`)
  return found
}

function byLeader({ partitions }: ClusterTopicMetadata, positions: ReadonlyMap<number, number>) {
  const wanted = [...positions].map(([partition, offset]) => ({
    leader: partitions[partition]?.leader ?? 0,
    request: {
      ...{ partition, fetchOffset: BigInt(offset), partitionMaxBytes: PARTITION_BYTES },
      ...{ currentLeaderEpoch: partitions[partition]?.leaderEpoch ?? NO_EPOCH, lastFetchedEpoch: NO_EPOCH },
    },
  }))
  const leaders = [...new Set(wanted.map(({ leader }) => leader))]
  return leaders.map((node) => {
    const requests = wanted.filter(({ leader }) => leader === node).map(({ request }) => request)
    return [node, requests] as const
  })
}

type FetchResponse = Awaited<ReturnType<Consumer['fetch']>>

/** A batch is given whole, also when it began before the position. */
function slicesOf({ responses }: FetchResponse, positions: ReadonlyMap<number, number>): StreamSlice[] {
  return responses.flatMap(({ partitions }) =>
    partitions.map(({ partitionIndex: partition, highWatermark, records = [] }) => {
      const from = positions.get(partition) ?? 0
      const read = records.flatMap(({ firstOffset, firstTimestamp, records: batch }) =>
        batch.map(({ offsetDelta, timestampDelta, value }) => ({
          offset: Number(firstOffset) + offsetDelta,
          appendedAt: new Date(Number(firstTimestamp + timestampDelta)),
          value: value ?? Buffer.alloc(0),
        })),
      )
      return { partition, end: Number(highWatermark), records: read.filter(({ offset }) => offset >= from) }
    }),
  )
}
