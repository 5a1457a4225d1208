import type { CountedViewer } from '../../ad-serving/embedded/counters/cap-counters.ts'
import type { ValkeySettings } from '../../config/ads-settings.ts'
import { closeValkey, connectValkey, whenConnected } from './valkey-client.ts'
import { counterKey } from './valkey-counters.ts'

/** Forgets what the counters have of a visitor. Rejects when the server does not answer; throws ValkeyMissing where the client is not installed. */
export async function forgetViewer(settings: ValkeySettings, viewer: CountedViewer): Promise<void> {
  const client = await connectValkey(settings)
  try {
    await whenConnected(client, () => client.del(counterKey(settings.prefix, viewer)))
  } finally {
    await closeValkey(client)
  }
}
