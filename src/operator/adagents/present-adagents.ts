import { snakeMembers } from '../snake-members.ts'
import type { buildAdagents } from './build-adagents.ts'
import type { compareAdagents } from './compare-adagents.ts'
import type { AdagentsVerdict, LocatedVerdict } from './validate-adagents.ts'

/** What is wrong with an adagents.json, as the API answers it. */
export function presentVerdict({
  agents,
  pointsAt,
  ...verdict
}: AdagentsVerdict & Partial<Pick<LocatedVerdict, 'where' | 'answered'>>) {
  return { ...verdict, authorized_agents: agents, ...(pointsAt !== undefined && { points_at: pointsAt }) }
}

/** The adagents.json that a publisher can serve, as the API answers it. */
export function presentBuilt({ verdict, ...built }: Awaited<ReturnType<typeof buildAdagents>>) {
  return { ...snakeMembers(built), verdict: presentVerdict(verdict) }
}

/** What differs between a served adagents.json and the imported properties, as the API answers it. */
export function presentComparison(found: Awaited<ReturnType<typeof compareAdagents>>) {
  const { servedFrom, reason, missing, extra, same, ...places } = found
  return {
    ...snakeMembers(places),
    served_from: servedFrom ?? null,
    missing_properties: missing,
    extra_properties: extra,
    ...(reason !== undefined && { reason }),
    same,
  }
}
