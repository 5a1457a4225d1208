import { dirname, resolve } from 'node:path'
import type { ContextRules } from '../domain/trusted-match/context/offered-packages.ts'
import type { Schemas } from '../protocol/schemas.ts'
import { readMatchSettings } from './match-settings-file.ts'

/** A provider of Trusted Match as its file describes it (schemas/trusted-match-provider.json). Paths are absolute. */
export interface MatchProviderSettings {
  readonly host: string
  readonly port: number
  readonly metricsPort?: number
  readonly development: boolean
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly endpoint: string
  readonly country: string
  readonly contextCacheSeconds: number
  readonly serveWindowSeconds: number
  readonly routers: readonly {
    readonly keys?: readonly { readonly kid: string; readonly x: string; readonly revoked_at?: string }[]
    readonly keysUrl?: string
  }[]
  readonly tmpx: { readonly kid: string; readonly key: string; readonly slot: string }
  readonly sellers: readonly {
    readonly agentUrl: string
    readonly keys: readonly { readonly sha256: string }[]
    /** Domains whose adagents.json has to authorise the seller; absent: its key is its enrolment. */
    readonly publishers?: readonly string[]
  }[]
  readonly packages: readonly MatchPackageSettings[]
  readonly caps: readonly {
    readonly label: string
    readonly most: number
    readonly window: { readonly interval: number; readonly unit: string }
  }[]
  readonly audiences: readonly {
    readonly id: string
    readonly expiresAt?: string
    readonly members?: readonly string[]
    readonly file?: string
  }[]
}

/** What is asked of contexts and users for a package. */
export interface MatchPackageSettings {
  readonly packageId: string
  readonly sellerAgentUrl: string
  readonly mediaBuyId?: string
  /** Absent: it is. */
  readonly active?: boolean
  readonly startsAt?: string
  readonly endsAt?: string
  readonly context?: ContextRules
  readonly user?: {
    readonly audiences?: readonly string[]
    readonly audiencesExcluded?: readonly string[]
    readonly capLabels?: readonly string[]
  }
}

/** Reads the file of a provider, YAML or JSON, with its defaults. Throws ConfigError with every problem and its line. */
export function loadMatchProviderSettings(schemas: Schemas, path: string): MatchProviderSettings {
  const values = readMatchSettings<MatchProviderSettings>(schemas, path, 'own:trusted-match-provider.json')
  const absolute = (name: string) => resolve(dirname(path), name)
  return {
    ...values,
    tmpx: { ...values.tmpx, key: absolute(values.tmpx.key) },
    audiences: values.audiences.map(({ file, ...each }) => ({ ...each, ...(file !== undefined && { file: absolute(file) }) })),
    ...(values.tls && { tls: { cert: absolute(values.tls.cert), key: absolute(values.tls.key) } }),
  }
}
