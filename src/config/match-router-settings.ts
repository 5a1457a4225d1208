import { dirname, resolve } from 'node:path'
import type { Schemas } from '../protocol/schemas.ts'
import { readMatchSettings } from './match-settings-file.ts'

/** A router of Trusted Match as its file describes it (schemas/trusted-match-router.json). Paths are absolute. */
export interface MatchRouterSettings {
  readonly host: string
  readonly port: number
  readonly metricsPort?: number
  readonly development: boolean
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly deadlineMs: number
  readonly contextCacheSeconds: number
  readonly identityCacheSeconds: number
  /** Requests about users in a second below which no provider is asked. */
  readonly identityMinimumPerSecond: number
  readonly providerCa?: string
  readonly refreshSeconds: number
  /** Between two checks of a provider's health; 0: none. */
  readonly healthSeconds: number
  /** Publisher whose registrations and keys of the store are used. */
  readonly tenant?: string
  /** Absent where the keys of the store are used. */
  readonly signing?: {
    readonly kid: string
    readonly key: string
    readonly retired: readonly { readonly kid: string; readonly x: string; readonly revoked_at?: string }[]
  }
  readonly publishers: readonly {
    readonly id: string
    readonly sellerAgentUrls: readonly string[]
    readonly properties: readonly string[]
    /** Requests in a second, contexts and users apart. */
    readonly maximumPerSecond?: number
    readonly keys: readonly { readonly sha256: string; readonly origins?: readonly string[] }[]
  }[]
  /** Judged by the schema of AdCP where they are used. */
  readonly providers: readonly Readonly<Record<string, unknown>>[]
}

/** Reads the file of a router, YAML or JSON, with its defaults. Throws ConfigError with every problem and its line. */
export function loadMatchRouterSettings(schemas: Schemas, path: string): MatchRouterSettings {
  const values = readMatchSettings<MatchRouterSettings>(schemas, path, 'own:trusted-match-router.json')
  const absolute = (name: string) => resolve(dirname(path), name)
  return {
    ...values,
    ...(values.signing && { signing: { ...values.signing, key: absolute(values.signing.key) } }),
    ...(values.tls && { tls: { cert: absolute(values.tls.cert), key: absolute(values.tls.key) } }),
    ...(values.providerCa !== undefined && { providerCa: absolute(values.providerCa) }),
  }
}
