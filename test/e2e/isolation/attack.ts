import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Task } from '../../../src/pipeline/task.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { BASE_TASKS } from '../../support/base-tasks.ts'
import type { TaskReply } from '../../support/client.ts'
import { type IdField, idFieldsOf, withId } from '../../support/id-fields.ts'
import { absentLike, acquire, type Holder, KINDS, type Kind, type World } from '../../support/isolation/holdings.ts'
import { kindOf, requestFor } from '../../support/isolation/requests.ts'
import { growth, openWitness, type Witness } from './witness.ts'

export const schemas = new Schemas()

/** An id of a task that leads to something of somebody's. */
export interface Case {
  readonly task: Task
  readonly field: IdField
  readonly kind: Kind
}

/** Every such id of every task: from the registry and the official schemas, so that none is forgotten. */
export const CASES: readonly Case[] = BASE_TASKS.flatMap((task) =>
  idFieldsOf(schemas, task.name).flatMap((field) => {
    const kind = kindOf(task.name, field)
    return kind === undefined ? [] : [{ task, field, kind }]
  }),
)

/** What is asked with an id: by whom the rest of the request is, and the id. */
export interface Question {
  readonly task: string
  readonly kind: Kind
  readonly requestOf: (who: Holder, id: string) => Record<string, unknown>
  /** What the request names of the caller's own, beside the id. */
  readonly uses: ReadonlySet<Kind>
}

export function questionOf({ task, field, kind }: Case, url: string): Question {
  const marked = new Proxy({} as Holder['own'], { get: (_own, name) => `@${String(name)}@` })
  const text = JSON.stringify(requestFor(task.name, field.path, marked, url))
  const uses = new Set([...KINDS].filter((each) => each === kind || text.includes(`@${each}@`)))
  return {
    task: task.name,
    kind,
    uses,
    requestOf: (who, id) => withId(requestFor(task.name, field.path, who.own, url) ?? {}, field, id),
  }
}

/** Tasks that change what their callers have; some of them take no key. */
const CHANGING: ReadonlySet<string> = new Set(
  BASE_TASKS.filter((task) => task.mutating || task.sandboxOnly || task.writes?.({})).map(({ name }) => name),
)

/** The request as it is sent: with a key of its own where the task takes one. */
export const complete = (task: string, request: object) => ({
  ...request,
  ...(schemas.manifest.tools[task]?.mutating && { idempotency_key: randomUUID() }),
})

export const ask = (who: Holder, task: string, request: object) => who.client.call(task, complete(task, request))

/** Ids and other things made by chance, and the ids under test, blanked out: two answers may differ in nothing else. */
export function faceOf({ status, headers, raw }: TaskReply, ...ids: readonly string[]): object {
  const text = ids.reduce((json, id) => json.replaceAll(id, '<id>'), JSON.stringify(raw))
  const blanked = text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/[pc]lt_[\w-]{43}/g, '<token>')
    // A cursor holds a hash of the question that it belongs to, ids of the question included.
    .replace(/(cursor\\*":\\*")[\w-]+/g, '$1<cursor>')
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return { status, headers: kept, body: JSON.parse(blanked) }
}

/** What the names of the victim's things say: in no answer to anybody else. */
export const OF_VICTIM = /of victim|says victim/

/** Plays the part of agents that send somebody else's ids, and watches the store meanwhile. */
export class Trial {
  readonly #world: World
  readonly #sandbox: boolean
  readonly #witness: Witness
  readonly #kept: () => string[]

  constructor(world: World, sandbox: boolean) {
    this.#world = world
    this.#sandbox = sandbox
    this.#witness = openWitness(world.config.data)
    this.#kept = this.#witness.remember(Object.values(world.victim.own))
  }

  close(): void {
    this.#witness.close()
  }

  /** Somebody with new things for a question that may use them up; whoever only reads can do so again and again. */
  async #ready(who: Holder, { task, uses }: Question): Promise<Holder> {
    return CHANGING.has(task) ? { ...who, own: await acquire(who.client, who.name, this.#world.url, uses) } : who
  }

  /** Asks with an id that nobody has and with the victim's; the two must be the same in everything but the id. */
  async expectNoDifference(attacker: Holder, question: Question): Promise<void> {
    const { task, kind, requestOf } = question
    const first = await this.#ready(attacker, question)
    const absent = absentLike(this.#world.victim.own[kind])
    expect(schemas.request(task)(complete(task, requestOf(first, absent))), 'the request is no request').toEqual([])
    const start = this.#witness.counts()
    const toAbsent = await ask(first, task, requestOf(first, absent))
    const byAbsent = growth(start, this.#witness.counts())
    // What was refused has changed nothing of the asker's, whose newest orders a refusal names; the controller refuses in a result.
    const isRefused = toAbsent.isError || toAbsent.data.success === false
    const second = isRefused ? first : await this.#ready(attacker, question)
    const { victim, damage } = await this.#victimFor(question, toAbsent)
    const id = victim.own[kind]
    const middle = this.#witness.counts()
    const toReal = await ask(second, task, requestOf(second, id))
    const byReal = growth(middle, this.#witness.counts())
    // An account that a sandbox agent opens by naming it has an id of the server's where the name is taken.
    const accountsIn = ({ raw }: TaskReply) =>
      this.#sandbox && kind === 'account' ? [...JSON.stringify(raw).matchAll(/acc_[-0-9a-f]{36}/g)].map(String) : []
    expect(faceOf(toReal, id, ...accountsIn(toReal)), `${attacker.name} sees a difference`).toEqual(
      faceOf(toAbsent, absent, ...accountsIn(toAbsent)),
    )
    expect(byReal, 'side effects differ').toEqual(byAbsent)
    expect(damage(), "something of the victim's was changed").toEqual([])
    expect(JSON.stringify(toReal.raw)).not.toMatch(OF_VICTIM)
  }

  /** One with new things where the attacker's own may come to bear the same name, so that it is as new to the attacker the next time. */
  async #victimFor({ task, kind, uses }: Question, { isError }: TaskReply): Promise<{ victim: Holder; damage: () => string[] }> {
    const { victim, url } = this.#world
    const names = CHANGING.has(task) ? !isError : this.#sandbox && kind === 'account'
    if (!names) return { victim, damage: this.#kept }
    const own = await acquire(victim.client, victim.name, url, uses)
    const ids = Object.values(own).filter((id) => id !== '')
    return { victim: { ...victim, own }, damage: this.#witness.remember(ids) }
  }

  /** Asks as the owner, with an id of its own and with one that nobody has: the answers differ, so the id is looked at. */
  async expectDifference(question: Question): Promise<void> {
    const { task, kind, requestOf } = question
    const owner = await this.#ready(this.#world.victim, question)
    const absent = absentLike(owner.own[kind])
    const none = await ask(owner, task, requestOf(owner, absent))
    const twin = none.isError ? owner : await this.#ready(this.#world.victim, question)
    const id = twin.own[kind]
    const mine = await ask(twin, task, requestOf(twin, id))
    expect(faceOf(mine, id)).not.toEqual(faceOf(none, absent))
  }
}
