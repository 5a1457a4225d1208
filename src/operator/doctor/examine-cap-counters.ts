import type { AdsSettings } from '../../config/ads-settings.ts'
import { type Finding, ok, problem, warning } from '../../features/doctor/finding.ts'
import { inspectValkey } from '../../platform/valkey/inspect-valkey.ts'

const CHECK = 'frequency caps'

/** Whether frequency caps can be counted outside the store. Nothing where the store counts them. Never throws for what it finds. */
export async function examineCapCounters({ counters, valkey }: AdsSettings): Promise<readonly Finding[]> {
  if (counters === 'store') return []
  try {
    const { version, eviction, uptimeSeconds } = await inspectValkey(valkey)
    const said = `${version} counts what visitors have had; it runs for ${uptimeSeconds} seconds`
    if (eviction?.startsWith('allkeys') || eviction?.startsWith('volatile'))
      return [
        warning(
          CHECK,
          `${said}, and drops keys when its memory is full (maxmemory-policy ${eviction})`,
          'set maxmemory-policy to noeviction: a visitor whose key is dropped while a page is decided can be shown a line once too often',
        ),
      ]
    return [ok(CHECK, said)]
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return [
      problem(
        CHECK,
        `the counters of ads.valkey do not answer: ${text}`,
        'see whether the server runs and can be reached; lines with a frequency cap are silent meanwhile',
      ),
    ]
  }
}
