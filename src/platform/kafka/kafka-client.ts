import { readFileSync } from 'node:fs'
import type { BaseOptions, Consumer, Producer } from '@platformatic/kafka'
import type { KafkaSettings } from '../../config/ads-settings.ts'

export type KafkaLibrary = typeof import('@platformatic/kafka')

/** The client of Kafka is not installed: it is an optional peer of this program. */
export class KafkaMissing extends Error {
  constructor(cause: unknown) {
    super('ads.events is kafka, which needs a client that is not installed: npm install @platformatic/kafka@1', { cause })
    this.name = 'KafkaMissing'
  }
}

/** Throws KafkaMissing where the client is not installed. */
export async function loadKafka(): Promise<KafkaLibrary> {
  try {
    return await import('@platformatic/kafka')
  } catch (error) {
    throw new KafkaMissing(error)
  }
}

/** How long a broker may take for an answer, in milliseconds. */
const TIMEOUT_MS = 5_000
const CONNECT_MS = 3_000

/** What every client of the cluster is made with. Nothing is tried again here: who asks decides what comes next. Throws when the file of the authority cannot be read. */
export function kafkaOptions({ brokers, tls, ca, mechanism, user, password }: KafkaSettings): BaseOptions {
  return {
    clientId: 'adcp-sales-agent',
    bootstrapBrokers: [...brokers],
    timeout: TIMEOUT_MS,
    connectTimeout: CONNECT_MS,
    retries: 0,
    autocreateTopics: false,
    ...(tls && { tls: ca === undefined ? {} : { ca: readFileSync(ca) }, tlsServerName: true }),
    ...(user !== undefined && password !== undefined && { sasl: { mechanism, username: user, password } }),
  }
}

/** Whether an error of the client has an error of the protocol in it, by its name (https://kafka.apache.org/protocol#protocol_error_codes). */
export function isKafkaError(error: unknown, name: string): boolean {
  if (typeof error !== 'object' || error === null) return false
  if ('apiId' in error && error.apiId === name) return true
  const inner: unknown[] = [
    ...('errors' in error && Array.isArray(error.errors) ? error.errors : []),
    ...('cause' in error ? [error.cause] : []),
  ]
  return inner.some((each) => isKafkaError(each, name))
}

/** What a broker said is wrong, or else what the client says. */
export function kafkaReason(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  if ('serverErrorMessage' in error && typeof error.serverErrorMessage === 'string' && error.serverErrorMessage !== '')
    return error.serverErrorMessage
  const [inner] = 'errors' in error && Array.isArray(error.errors) ? error.errors : []
  return inner === undefined ? String('message' in error ? error.message : error) : kafkaReason(inner)
}

/** Closes a producer or a consumer, whatever state it is in. */
export async function closeClient(client: Pick<Producer | Consumer, 'close'>): Promise<void> {
  try {
    await client.close(true)
  } catch {
    // A client whose broker is away cannot say goodbye; its connections are closed all the same.
  }
}
