import { OAuthMetadataFault } from '../../domain/oauth/metadata-fault.ts'
import { type Finding, ok, problem, skipped } from './finding.ts'
import { type GraphInstruments, walkOAuthMetadata } from './oauth-graph.ts'

const CHECK = 'authorization servers'
const ADVICE = 'OAuth clients stop here: mend the document or the address, or take the protected-resource metadata down'

/** The way of an OAuth client from the agent to its authorization servers. An agent without OAuth publishes no metadata, which is no fault. */
export async function examineAuthorizationServers(agentUrl: string, instruments: GraphInstruments): Promise<Finding> {
  try {
    const issuers = await walkOAuthMetadata(agentUrl, instruments)
    return ok(CHECK, `OAuth clients find ${issuers.join(', ')}`)
  } catch (error) {
    if (!(error instanceof OAuthMetadataFault)) throw error
    if (error.code === 'oauth_protected_resource_metadata_unavailable')
      return skipped(CHECK, 'the agent publishes no OAuth metadata: its buyers use keys, certificates or signatures')
    return problem(CHECK, `${error.url}: ${error.message} (${error.code})`, ADVICE)
  }
}
