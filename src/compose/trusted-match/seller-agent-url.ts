import { type Config, publicOrigin } from '../../config/config.ts'
import { canonicalSeller } from '../../domain/trusted-match/match-package.ts'

/** The address under which adagents.json authorises this agent, in canonical form. */
export function sellerAgentUrlOf(config: Config): string {
  const url = `${publicOrigin(config)}/mcp`
  return canonicalSeller(url) ?? url
}
