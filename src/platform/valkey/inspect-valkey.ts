import type { ValkeySettings } from '../../config/ads-settings.ts'
import { closeValkey, connectValkey, whenConnected } from './valkey-client.ts'

/** A server of counters, as it is at the moment. */
export interface ValkeyFacts {
  /** Such as `valkey 8.1.0`. */
  readonly version: string
  /** What it drops when its memory is full, such as `noeviction`; undefined where it does not say. */
  readonly eviction: string | undefined
  readonly uptimeSeconds: number
}

/** Rejects when the server does not answer; throws ValkeyMissing where the client is not installed. */
export async function inspectValkey(settings: ValkeySettings): Promise<ValkeyFacts> {
  const client = await connectValkey(settings)
  try {
    const info = String(await whenConnected(client, () => client.info('server')))
    const of = (name: string) =>
      info
        .split('\r\n')
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
    const policy: unknown = await client.config('GET', 'maxmemory-policy').catch(() => undefined)
    const valkey = of('valkey_version')
    return {
      version: valkey === undefined ? `redis ${of('redis_version') ?? 'of an unknown version'}` : `valkey ${valkey}`,
      eviction: Array.isArray(policy) && typeof policy[1] === 'string' ? policy[1] : undefined,
      uptimeSeconds: Number(of('uptime_in_seconds') ?? 0),
    }
  } finally {
    await closeValkey(client)
  }
}
