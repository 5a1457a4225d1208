import type { Arguments } from './arguments.ts'
import type { NoteChange, PlatformIdentity } from './deps.ts'

/** Operations that anybody may use, by their ids: each answers 200 with the body it gives. `caller` is whose share of the way out it takes. */
export type Handlers = Readonly<Record<string, (args: Arguments, caller: string) => Promise<object>>>

/** An answer with its HTTP status. */
export interface Answer {
  readonly status: number
  readonly body: object
}

/** Operations that need a platform identity, by their ids. Each notes what it changes. */
export type Writers = Readonly<Record<string, (args: Arguments, identity: PlatformIdentity, note: NoteChange) => Promise<Answer>>>
