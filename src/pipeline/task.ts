import type { Account } from '../domain/account/account.ts'
import type { Principal, Tenant } from '../domain/identity/principal.ts'
import { outline } from '../domain/summary/outline.ts'
import type { Contract } from '../protocol/contract.ts'
import type { AdcpError, Issue } from '../protocol/errors.ts'
import type { Db, TransactionOptions } from '../store/database.ts'
import type { Call } from './call.ts'
import type { CallLog } from './call-log.ts'
import type { Services } from './services.ts'

/**
 * Who may call a task (AdCP authentication page): `public` needs no credentials, `limited` answers less to a caller without
 * credentials, `authenticated` needs a principal.
 */
export type Access = 'public' | 'limited' | 'authenticated'

/** Permission families; the scope of a key is `adcp:<scope>`. */
export type Scope =
  | 'products'
  | 'accounts'
  | 'media_buys'
  | 'creatives'
  | 'tasks'
  | 'compliance'
  | 'lists'
  | 'lists:fetch'
  | 'content_standards'
  | 'governance'
  | 'audiences'
  | 'catalogs'
  | 'events'
  | 'signals'
  | 'brand'
  | 'sponsored_intelligence'

/** What every task may see. Never the root store, the environment or the HTTP request. */
export interface PublicContext {
  readonly tenant: Tenant
  readonly principal: Principal | undefined
  /** The account that the request names, resolved within the principal's own; absent when it names none. */
  readonly account: Account | undefined
  /** Contract of the release that the call is answered in. */
  readonly contract: Contract
  readonly now: Date
  /** Address of the transport's peer, for limits on callers without credentials. */
  readonly remoteAddress: string | undefined
  /** The call as it came in, in the words of its own release: what signed approvals bind. */
  readonly received: Pick<Call, 'tool' | 'arguments'>
  readonly log: CallLog
  readonly services: Services
  /** Committed state, outside any transaction. */
  readonly db: Db
}

export interface AuthenticatedContext extends PublicContext {
  readonly principal: Principal
}

/** Adds the transaction that commits together with the idempotency record. No network inside it. */
export type InTransaction<C> = C & { readonly tx: Db }

export type ContextOf<A extends Access> = A extends 'authenticated' ? AuthenticatedContext : PublicContext

/** How the pipeline treats the request's `account` reference. */
export type AccountUse = 'none' | 'optional' | 'required'

/**
 * What `tools/list` shows of a request beyond its top-level fields and required members: members by path (`packages.bid_price`; array
 * items take no step of their own), each with a description, or an empty text where the name says it.
 */
export type InputNotes = Readonly<Record<string, string>>

/** Steps of {@link Work} of one call: a fifth of a second of the processor, with others served in between. */
export const MOST_STEPS = 200_000

/** What a person may mean by a few letters: ids of the caller's own things, with the texts by which a person knows each. */
export interface NamedRows {
  readonly rows: readonly { readonly id: string; readonly names: readonly string[] }[]
  /** There are more than were read. */
  readonly isCut: boolean
}

/** What a call costs beyond its size, since it is a product of inputs: no bound of a single one limits it. */
export interface Work {
  /** About a microsecond of the processor each. */
  readonly steps: number
  /** The factors, in words: `200 policies × 1000 records`. */
  readonly product: string
  /** The member of the request of which less may be sent. */
  readonly field: string
  /** What to send instead. */
  readonly suggestion: string
}

/** A request that may lack any member, and so may the entries of its lists. */
export type Lacking<Req> = {
  readonly [Name in keyof Req]?: NonNullable<Req[Name]> extends readonly (infer Entry)[] ? readonly Partial<Entry>[] : Req[Name]
}

/**
 * One task operation. `prepare` runs after the idempotency key is claimed and before the transaction: reads and calls
 * to the ad server (each under `anchor`, the call's own idempotency anchor) belong there. `handle` runs inside the
 * transaction, decides with pure functions of `domain/`, saves, and returns the payload; envelope fields are the transport's.
 */
export interface TaskDefinition<Req extends object, Res extends object, A extends Access, P> {
  readonly name: string
  readonly access: A
  readonly scope: Scope
  readonly account?: AccountUse
  /** One line for `tools/list`. */
  readonly summary: string
  readonly input?: InputNotes
  /** The response as text for people and assistants; default: an outline of it. `shown`: as the release of the caller has it, whose words an outline of a buyer's own documents uses. */
  summarize?(response: Res, shown: object): string
  /** Every call changes state, as the manifest says (a test compares). A task that changes something in some calls only has `writes`. */
  readonly mutating?: true
  /** A call may commit the buyer to pay. */
  readonly spends?: true
  /** Called by programs that hold the protocol's schemas, by no assistant: `tools/list` names its members, and nothing below them. */
  readonly ofPrograms?: true
  /** Release line that brought the task; absent: the lowest. A server whose releases have no such task goes without it. */
  readonly since?: string
  /** Registered only on a sandbox server, callable only by sandbox principals. */
  readonly sandboxOnly?: true
  /** Members of the request of which an update has to name at least one; `ext.x` is one of its `ext`. */
  readonly changes?: readonly string[]
  /** Members that the official schema does not name are no mistakes here, e.g. in events of a buyer's own systems. */
  readonly takesAnyMember?: true
  /** There for a task that is carried out as an established one; `handle` then gets a {@link Modelled} request. */
  readonly model?: Model
  /**
   * Whether a finding of the base schema is about a form that only a later release has and that this task carries out. Asked only where the schema of the
   * caller's own release has accepted the request.
   */
  takesForm?(finding: Issue, request: Req): boolean
  /** Whether a finding of the schema of the caller's own release is about a value that this task takes all the same. */
  takesValue?(finding: Issue, request: Req): boolean
  /**
   * What a finding about a missing member can be repaired with, from what this publisher has: a sentence, or the finding with an example in its words that is taken; undefined for nothing. The
   * request is not valid: it must take any values.
   */
  candidates?(finding: Issue, request: object, context: ContextOf<A>): Promise<string | Issue | undefined>
  /**
   * What a request names that is not there, or that does not go together, as the task itself refuses it. Asked where the schema of the caller's release refuses the request: what is left
   * of it is valid, in the words of that release, and may lack any member. Only of callers with credentials, whose account is not resolved yet.
   */
  unknown?(request: Lacking<Req>, context: AuthenticatedContext): Promise<readonly AdcpError[]>
  /** Names that answer as this task too (e.g. `tasks/get`). */
  readonly aliases?: readonly string[]
  /**
   * Whether a call of a task that is not mutating by the manifest changes something, e.g. a proposal. Asked of raw arguments, before they
   * are validated: it must take any values.
   */
  writes?(request: { readonly [Name in keyof Req]?: unknown }): boolean
  /**
   * There when answers to the same question may be cached. Gives what they depend on beside the stored data, the tenant, the caller and the
   * account; undefined for a request whose answer must not be cached.
   */
  cacheKey?(request: Req, context: ContextOf<A>): string | undefined
  /** There when a call's cost is a product of inputs (see `limitWork`). Only reads; undefined for a request that costs no more than its size. */
  work?(request: Req, context: ContextOf<A>): Promise<Work | undefined>
  /** There when a person is helped to name one of the rows that the task lists: reads their ids and names alone, the newest of them, a bounded number. */
  named?(context: ContextOf<A>): Promise<NamedRows>
  prepare?(request: Req, context: ContextOf<A> & { readonly anchor: string }): Promise<P>
  /** Takes back what `prepare` did outside the store, when the transaction fails after it. */
  undo?(request: Req, context: ContextOf<A> & { readonly anchor: string }, prepared: P): Promise<void>
  /**
   * Isolation of the transaction (default `serializable`, see {@link TransactionOptions}). `read-committed`
   * only where every statement decides by itself, by a unique key, a row that it locks or compare-and-set.
   */
  isolation?(request: Req, prepared: P): Isolation
  handle(request: Req, context: InTransaction<ContextOf<A>>, prepared: P): Promise<Res>
}

/** How a task of a later family of tools is carried out: by the rules of an established task, in whose words its request is put. */
export interface Model {
  /** Name of the established task. */
  readonly task: string
  /** A valid request in that task's words, as the same release has them. */
  read(request: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** Members of the established request by the names that the caller sent, for errors: `packages` → `purchases`. */
  readonly names: Readonly<Record<string, string>>
}

/** A request with what it says in the words of its {@link Model}. */
export type Modelled<Given, Established> = Given & { readonly model: Established }

export type Isolation = Exclude<TransactionOptions['isolation'], 'statement' | undefined>

/** A task with its wire types erased: what the pipeline, the transports and the tests handle. */
export interface Task {
  readonly name: string
  readonly access: Access
  readonly scope: Scope
  readonly account: AccountUse
  readonly summary: string
  readonly input: InputNotes
  summarize(response: object, shown: object): string
  readonly mutating: boolean
  readonly spends: boolean
  readonly sandboxOnly: boolean
  readonly aliases: readonly string[]
  readonly since?: string
  readonly changes?: readonly string[]
  readonly takesAnyMember?: true
  readonly ofPrograms?: true
  readonly model?: Model
  takesForm?(finding: Issue, request: object): boolean
  takesValue?(finding: Issue, request: object): boolean
  candidates?(finding: Issue, request: object, context: PublicContext): Promise<string | Issue | undefined>
  unknown?(request: object, context: PublicContext): Promise<readonly AdcpError[]>
  writes?(request: object): boolean
  cacheKey?(request: object, context: PublicContext): string | undefined
  work?(request: object, context: PublicContext): Promise<Work | undefined>
  named?(context: PublicContext): Promise<NamedRows>
  prepare?(request: object, context: PublicContext & { readonly anchor: string }): Promise<unknown>
  undo?(request: object, context: PublicContext & { readonly anchor: string }, prepared: unknown): Promise<void>
  isolation?(request: object, prepared: unknown): Isolation
  handle(request: object, context: InTransaction<PublicContext>, prepared: unknown): Promise<object>
}

/**
 * Declares a task: `defineTask<Request, Response>()({ name, access, … })`. Method parameters are bivariant, which is what
 * erases the wire types here without a cast: the pipeline has validated the request against the official schema of
 * `name` and has established the context that `access` promises before it calls in.
 */
export function defineTask<Req extends object, Res extends object = object>() {
  return <A extends Access, P = undefined>(definition: TaskDefinition<Req, Res, A, P>): Task => ({
    account: 'none',
    input: {},
    summarize: (response: object) => outline(response),
    mutating: false,
    spends: false,
    sandboxOnly: false,
    aliases: [],
    ...definition,
  })
}
