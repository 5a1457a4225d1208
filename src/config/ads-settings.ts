import type { Mode } from '../platform/net/mode.ts'
import type { Issue } from '../protocol/errors.ts'

/** The Kafka cluster that ad events are written to. */
export interface KafkaSettings {
  /** `host:port`. */
  readonly brokers: readonly string[]
  readonly topic: string
  /** Of a topic that is made. */
  readonly partitions: number
  readonly replicas: number
  readonly retentionHours: number
  readonly tls: boolean
  /** Path of a PEM file. */
  readonly ca?: string
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
  readonly user?: string
  /** Never shown: see `redactedConfig`. */
  readonly password?: string
}

/** The server or the cluster that counts what visitors have had of lines with a frequency cap. */
export interface ValkeySettings {
  /** `host:port`: of the server, or of some nodes of the cluster. */
  readonly servers: readonly string[]
  readonly cluster: boolean
  /** What its keys begin with. */
  readonly prefix: string
  readonly tls: boolean
  /** Path of a PEM file. */
  readonly ca?: string
  readonly user?: string
  /** Never shown: see `redactedConfig`. */
  readonly password?: string
}

/** How pages reach the embedded ad server, and what they can be asked by. */
export interface AdsSettings {
  /** Origin without a trailing slash. */
  readonly publicUrl?: string
  readonly host: string
  /** A port of its own; absent: below `/ads` of the main one. */
  readonly port?: number
  /** Names of headers in which a proxy of the publisher says where a visitor is. */
  readonly countryHeader?: string
  readonly regionHeader?: string
  /** Whether files of creatives are fetched, checked and served from here, or stay where buyers put them; absent: hosted in production. */
  readonly creativeFiles?: 'hosted' | 'linked'
  /** Whether files of buyers' creatives are fetched and checked before a creative is approved; absent: in production. */
  readonly examineFiles?: boolean
  /** File with a database of places of addresses (MaxMind DB format). */
  readonly geoDatabase?: string
  /** IANA name; dayparts are hours of this zone. */
  readonly timeZone: string
  /** What one address may send in a window. */
  readonly decisionsPerAddress: number
  readonly eventsPerAddress: number
  readonly windowSeconds: number
  /** Most that the spool of events may take on the disk. */
  readonly spoolMegabytes: number
  /** Where events are written before they are acknowledged. */
  readonly events: 'store' | 'kafka'
  readonly kafka: KafkaSettings
  /** Where decisions look up what visitors have had of lines with a frequency cap. */
  readonly counters: 'store' | 'valkey'
  readonly valkey: ValkeySettings
}

/** What a schema cannot say: a log in Kafka has brokers, counters in Valkey a server; a user has a password, and a certificate authority is for encrypted connections. */
export function adsIssues({ ads }: { readonly ads: AdsSettings }): readonly Issue[] {
  const { events, kafka, counters, valkey } = ads
  const issue = (system: 'kafka' | 'valkey', name: string, message: string): Issue => ({
    ...{ pointer: `/ads/${system}/${name}`, message, keyword: system },
  })
  const withoutAuthority = 'is given, and tls is false; set tls to true, or leave ca out'
  return [
    ...(events === 'kafka' && kafka.brokers.length === 0
      ? [issue('kafka', 'brokers', 'is empty, and ads.events is kafka; name brokers as host:port, or set ads.events to store')]
      : []),
    ...(kafka.user !== undefined && kafka.password === undefined
      ? [issue('kafka', 'password', 'is missing, and user is given')]
      : []),
    ...(kafka.password !== undefined && kafka.user === undefined
      ? [issue('kafka', 'user', 'is missing, and password is given')]
      : []),
    ...(kafka.ca !== undefined && !kafka.tls ? [issue('kafka', 'ca', withoutAuthority)] : []),
    ...(counters === 'valkey' && valkey.servers.length === 0
      ? [
          issue(
            'valkey',
            'servers',
            'is empty, and ads.counters is valkey; name a server as host:port, or set ads.counters to store',
          ),
        ]
      : []),
    ...(valkey.servers.length > 1 && !valkey.cluster
      ? [issue('valkey', 'servers', 'names several, and cluster is false; name one server, or set cluster to true')]
      : []),
    ...(valkey.user !== undefined && valkey.password === undefined
      ? [issue('valkey', 'password', 'is missing, and user is given')]
      : []),
    ...(valkey.ca !== undefined && !valkey.tls ? [issue('valkey', 'ca', withoutAuthority)] : []),
  ]
}

/** Whether files of buyers' creatives are seen before they are approved. In development, creatives often name files that do not exist. */
export function examinesFiles({ ads, mode }: { readonly ads: AdsSettings; readonly mode: Mode }): boolean {
  return ads.examineFiles ?? mode === 'production'
}

/** Origin under which pages reach the ad server. `origin` is that of the main port. */
export function adsOrigin({ publicUrl, host, port }: AdsSettings, origin: string): string {
  if (publicUrl !== undefined) return publicUrl
  return port === undefined ? origin : `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
