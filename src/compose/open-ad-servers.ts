import type { AdServer } from '../ad-serving/ad-server.ts'
import { type AdServers, singleAdServer } from '../ad-serving/ad-servers.ts'
import type { ReconciledBackend } from '../ad-serving/reconciled-backends.ts'
import type { AdServerConfig } from '../config/ad-server-settings.ts'
import { sealStoredListTokens } from '../store/seal-list-tokens.ts'
import { type ChooseParts, chooseAdServers, singleBackend } from './choose-ad-servers.ts'

/** What a test uses in place of the ad servers of the configuration. */
interface GivenAdServer {
  readonly adServer?: AdServer
  readonly backend?: ReconciledBackend
}

/** The ad servers of a server that starts: what earlier versions stored for them in plain text is sealed first. */
export async function openAdServers(
  { adServer, backend }: GivenAdServer,
  config: AdServerConfig,
  parts: ChooseParts,
): Promise<AdServers> {
  await sealStoredListTokens(parts.store, parts.builtIn.listTokens.seal)
  if (adServer) return singleAdServer(adServer)
  return backend ? singleBackend(backend, parts.store) : chooseAdServers(config, parts)
}
