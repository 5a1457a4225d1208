import type { Contract } from '../protocol/contract.ts'
import { withoutUndeclaredEnvelope } from '../protocol/envelope-members.ts'
import type { Issue } from '../protocol/errors.ts'
import { fieldOf } from '../protocol/field-of.ts'
import type { MemberReview } from './review-members.ts'
import type { State } from './state.ts'
import type { Task } from './task.ts'

/**
 * Why a member that is told to have its effect with another release would have none there either, by its pointer: the release is not served to this caller,
 * or refuses the request that it would be sent in. `own`: what the caller's release finds wrong anyway.
 */
export async function laterFaults(
  state: State,
  task: Task,
  request: object,
  advised: MemberReview['advised'],
  own: readonly Issue[],
): Promise<ReadonlyMap<string, string>> {
  const served = state.deps.contracts.only(state.tenant?.settings.releases).having(task.name)
  const faults = new Map<string, string>()
  for (const { pointer, line } of advised) {
    const contract = served.find((each) => each.line === line)
    const others = [...own, ...advised].map((each) => each.pointer).filter((each) => each !== pointer)
    const fault =
      contract === undefined ? `AdCP ${line} is not served here` : await refusalOf(contract, task, request, pointer, others)
    if (fault !== undefined) faults.set(pointer, fault)
  }
  return faults
}

/** What a release says of a member, else of the request around it, but for what is found at other members. */
async function refusalOf(
  { line, schemas }: Contract,
  { name }: Task,
  request: object,
  member: string,
  others: readonly string[],
): Promise<string | undefined> {
  await schemas.prepare(name, ['request'])
  const found = schemas.request(name)(withoutUndeclaredEnvelope(request, name, schemas.requestDocument(name)))
  const added = found.filter(({ pointer }) => !others.some((each) => isAtOrBelow(pointer, each)))
  const issue = added.find(({ pointer }) => isAtOrBelow(pointer, member)) ?? added[0]
  return issue && `AdCP ${line} would refuse it: ${fieldOf(issue.pointer)} ${issue.message}`
}

/** Whether one RFC 6901 pointer is another, or below it. */
export function isAtOrBelow(pointer: string, ancestor: string): boolean {
  return pointer === ancestor || pointer.startsWith(`${ancestor}/`)
}
