import { listAudit, listUnsealed } from '../../store/audit/audit.ts'
import { listPeople } from '../../store/people/people.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Who did what last, and when. `by` is a name of a person, else how the audit log names who acted. */
export interface LastAct {
  readonly by: string
  /** Who acted, as the audit log has it: `person:` and a user name, `operator`, or the id of a buyer. */
  readonly who: string
  readonly task: string
  readonly at: string
}

/** Entries of each act that are searched: what somebody else just did is among the newest. */
const SEARCHED = 100

/** The newest of some acts on one of some subjects of a publisher, and of two at the same moment the one that is first in `tasks`; undefined when there is none among the newest 100 of each act. */
export async function lastActOn(
  { store }: OperatorContext,
  tenantId: string,
  { tasks, subjects }: { readonly tasks: readonly string[]; readonly subjects: readonly string[] },
): Promise<LastAct | undefined> {
  const unsealed = await listUnsealed(store.read, tenantId, SEARCHED)
  const sealed = await Promise.all(tasks.map((task) => listAudit(store.read, tenantId, { task, outcome: 'ok', limit: SEARCHED })))
  const found = [...unsealed, ...sealed.flat()].filter(
    ({ task, outcome, subject }) =>
      tasks.includes(task) && outcome === 'ok' && subject !== undefined && subjects.includes(subject),
  )
  const [newest] = found.toSorted((a, b) =>
    a.at === b.at ? tasks.indexOf(a.task) - tasks.indexOf(b.task) : a.at > b.at ? -1 : 1,
  )
  if (newest?.principal === undefined) return undefined
  const { principal: who, credential, task, at } = newest
  const username = who.startsWith('person:') ? who.slice('person:'.length) : undefined
  const person = username === undefined ? undefined : (await listPeople(store.read)).find((each) => each.username === username)
  return { by: person?.name ?? username ?? credential ?? who, who, task, at }
}
