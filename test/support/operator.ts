import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { singleAdServer } from '../../src/ad-serving/ad-servers.ts'
import { composeApprovals } from '../../src/compose/approval-services.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { loadLastingKeys } from '../../src/features/secrets/lasting-keys.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import type { TestAgent } from './start-agent.ts'

const contracts = loadContracts([BASE_SOURCE])

/** The person at the command line beside a running agent, at the agent's time; `adServer`: the agent's, where the configuration names none. */
export function operatorBeside({ server, config }: TestAgent, clock: () => Date, adServer?: AdServer): OperatorContext {
  const operator = { ...operatorOn(server.store, config, contracts), clock }
  if (!adServer) return operator
  const adServers = singleAdServer(adServer)
  const approvals: OperatorContext['services']['approvals'] = async (store) => {
    const lastingKeys = await loadLastingKeys(store.read, operator.services.secrets().held)
    return composeApprovals({ store, config, contracts, secret: 'of a test', lastingKeys, clock, adServers })
  }
  return { ...operator, services: { ...operator.services, adServers: async () => adServers, approvals } }
}
