import type { Arguments } from './arguments.ts'
import type { NoteChange, PlatformIdentity } from './deps.ts'

/** Operations that anybody may use, by their ids: each answers 200 with the body it gives. `caller` is whose share of the way out it takes. */
export type Handlers = Readonly<Record<string, (args: Arguments, caller: string) => Promise<object>>>

/** An answer with its HTTP status. */
export interface Answer {
  readonly status: number
  readonly body: object
  /** Beside those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The body of an answer with headers of its own. */
export class WithHeaders {
  readonly body: object
  readonly headers: Readonly<Record<string, string>>

  constructor(body: object, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.headers = headers
  }
}

/** Operations that need a platform identity, by their ids. Each notes what it changes. */
export type Writers = Readonly<Record<string, (args: Arguments, identity: PlatformIdentity, note: NoteChange) => Promise<Answer>>>
