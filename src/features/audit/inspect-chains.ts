import { chainedTenants } from '../../store/audit/audit.ts'
import type { Db } from '../../store/database.ts'
import { listLoggedPlans, walkLog } from '../../store/governance/governance-log.ts'
import type { StoreProblem } from '../../store/inspect/inspect.ts'
import { verifyChain } from './verify-chain.ts'

const EXAMPLES = 5

/** Follows every hash chain of the store from its start: the audit log of each tenant, and the log of each governance plan. */
export async function inspectChains(db: Db): Promise<{ links: number; problems: readonly StoreProblem[] }> {
  const audit: string[] = []
  const plans: string[] = []
  let links = 0
  for (const tenant of await chainedTenants(db)) {
    const chain = await verifyChain(db, tenant)
    links += chain.links
    if (chain.broken !== undefined) audit.push(`${tenant}: ${chain.broken}`)
  }
  for (const { planId, ...owner } of await listLoggedPlans(db)) {
    const { length, brokenAt } = await walkLog(db, owner, planId)
    links += length
    if (brokenAt !== undefined) plans.push(`${owner.tenantId} ${owner.principalId} ${planId}: number ${brokenAt}`)
  }
  const problems = [
    { table: 'audit_log', rule: 'follows the one before it by its hash', examples: audit.slice(0, EXAMPLES) },
    { table: 'governance_log', rule: 'follows the one before it by its hash', examples: plans.slice(0, EXAMPLES) },
  ]
  return { links, problems: problems.filter(({ examples }) => examples.length > 0) }
}
