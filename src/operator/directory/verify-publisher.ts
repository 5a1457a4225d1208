import type { Config } from '../../config/config.ts'
import { fetchAgentAuthorizations, type PublisherAuthorization } from '../../features/directory/client.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { checkSupplyPath, type SupplyPathReport, type SupplyPathRequest } from '../../features/directory/supply-path.ts'

export type { PublisherAuthorization, SupplyPathReport }

/** Asks a publisher itself whether it authorises an agent. Throws INVALID_REQUEST for a bad agent URL or domain. */
export async function verifyPublisher(
  config: Config,
  asked: { readonly domain: string; readonly agentUrl: string },
): Promise<readonly PublisherAuthorization[]> {
  const answers = await fetchAgentAuthorizations(asked.agentUrl, [asked.domain], { fetch: directoryFetch(config) })
  return [...answers.values()]
}

/** Asks the owner of a collection and the host that carries it whether an agent may sell it there. Throws INVALID_REQUEST. */
export function verifySupplyPath(config: Config, asked: SupplyPathRequest): Promise<SupplyPathReport> {
  return checkSupplyPath(asked, { fetch: directoryFetch(config) })
}
