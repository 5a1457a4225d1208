import { crc32 } from 'node:zlib'
import type { ProduceResult, Producer } from '@platformatic/kafka'
import type { StreamPlace, StreamRecord, StreamShape, StreamWriter } from '../../ad-serving/embedded/stream/event-stream.ts'
import type { KafkaSettings } from '../../config/ads-settings.ts'
import { findTopic, requireTopic } from './event-topic.ts'
import { closeClient, kafkaOptions, loadKafka } from './kafka-client.ts'

/** Acknowledged by every copy that is in sync. */
const ALL = -1

/** Writes to the topic, which is made at the first use. A client that failed is closed; the next use makes another. */
export function createKafkaWriter(settings: KafkaSettings): StreamWriter {
  const { topic } = settings
  let opened: Promise<Producer> | undefined
  let isMade = false
  const open = async (): Promise<Producer> => {
    const { Producer } = await loadKafka()
    if (!isMade) await requireTopic(settings)
    isMade = true
    const producer = new Producer(kafkaOptions(settings))
    producer.on('error', () => {})
    return producer
  }
  const close = async () => {
    const closing = opened
    opened = undefined
    await closing?.then(closeClient, () => {})
  }
  const using = async <T>(work: (producer: Producer) => Promise<T>): Promise<T> => {
    opened ??= open()
    try {
      return await work(await opened)
    } catch (error) {
      await close()
      throw error
    }
  }
  const shapeOf = async (producer: Producer, forceUpdate = false): Promise<StreamShape> => {
    const found = await findTopic(producer, topic, forceUpdate)
    if (found) return { logId: found.id, partitions: found.partitionsCount }
    isMade = false
    throw new Error(`the topic ${topic} is gone`)
  }
  return {
    append: (records) =>
      using(async (producer) => {
        const { partitions } = await shapeOf(producer)
        const messages = records.map((record) => messageOf(record, topic, partitions))
        const places = messages.map(({ partition }) => partition)
        return placesOf(places, await producer.send({ messages, acks: ALL }))
      }),
    ping: () => using(async (producer) => void (await shapeOf(producer, true))),
    shape: () => using((producer) => shapeOf(producer)),
    close,
  }
}

function messageOf({ key, value }: StreamRecord, topic: string, partitions: number) {
  const bytes = Buffer.from(key)
  return { topic, key: bytes, value, partition: crc32(bytes) % partitions }
}

/** Records of one send that go to one partition are one batch, in their order: the answer has the offset of its first. */
function placesOf(partitions: readonly number[], { offsets }: ProduceResult): StreamPlace[] {
  const next = new Map((offsets ?? []).map(({ partition, offset }) => [partition, Number(offset)]))
  return partitions.map((partition) => {
    const offset = next.get(partition)
    if (offset === undefined || offset < 0) throw new Error(`the log did not say that partition ${partition} has its records`)
    next.set(partition, offset + 1)
    return { partition, offset }
  })
}
