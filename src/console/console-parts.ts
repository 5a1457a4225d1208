import type { Logger } from 'pino'
import type { OperatorContext } from '../operator/operator-context.ts'
import type { SignedIn } from '../operator/people/sessions.ts'
import type { SignInProvider } from '../operator/people/sign-in-elsewhere.ts'
import type { WatchedCalls } from '../pipeline/record-calls.ts'
import type { Slots } from '../platform/concurrency/slots.ts'
import type { PeerOf } from '../platform/net/peer.ts'
import type { GuessGuard } from '../security/auth/guess-guard.ts'
import type { Assets } from './assets.ts'
import type { CompiledRoute } from './find-route.ts'

/** A call of a task, as an agent would make it. */
export interface AskedTask {
  readonly task: string
  readonly arguments: object
}

/** What the agent gets: the structured content of the tool result. */
export interface AgentAnswer {
  readonly isError: boolean
  readonly answer: Readonly<Record<string, unknown>>
}

/** What the console works with. */
export interface ConsoleParts {
  /** The context for a person who is signed in; without one, for the sign-in. */
  readonly operator: (signedIn?: SignedIn) => OperatorContext
  readonly routes: readonly CompiledRoute[]
  readonly assets: Assets
  readonly peerOf: PeerOf
  readonly idleMs: number
  readonly guard: GuessGuard
  /** Streams of events that are open. */
  readonly streams: Slots
  /** Counts a stream that was refused. */
  readonly refusedStream: (limit: 'person' | 'all') => void
  /** Notes a wrong password, or a wrong second factor of a person, in the audit log. */
  readonly refusedSignIn: (code: string, username?: string) => void
  /** Where people may sign in instead of here. */
  readonly signInProvider?: SignInProvider | undefined
  /** Changes whenever data does. */
  readonly dataVersion: () => string | number
  /** Calls a task as a buyer of the publisher, or without a key. For tasks that only read. */
  readonly askAs: (tenantId: string, buyer: string | undefined, call: AskedTask) => Promise<AgentAnswer>
  readonly watchedCalls: WatchedCalls
  readonly log: Logger
}
