import type { ServerResponse } from 'node:http'
import { ADMIN_ROLES, type AdminRole } from '../domain/identity/admin-role.ts'
import { WATCH_TEXT } from '../operator/buyers/watch-calls.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import type { OpenSignIn } from '../operator/people/half-sign-in.ts'
import type { SignedIn } from '../operator/people/sessions.ts'
import { statusOf } from '../operator/refusal-status.ts'
import type { ShownTenant } from '../operator/tenants/present-tenant.ts'
import type { AdcpError } from '../protocol/errors.ts'
import type { Html } from './html.ts'

/** A request to a page that everybody may see. */
export interface Call {
  readonly operator: OperatorContext
  /** Path of the request, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Whether it sends a form. */
  readonly isForm: boolean
  /** Fields of a form; empty for GET. */
  readonly form: URLSearchParams
  /** The uploaded file of a form. */
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined
  readonly params: Readonly<Record<string, string>>
  readonly browser: { readonly address: string; readonly userAgent: string }
  /** What every form of this page carries back. */
  readonly csrf: string
}

/** A request in a browser in which the password was right and a second factor is asked for. It may do nothing but show one. */
export interface HalfCall extends Call {
  readonly open: OpenSignIn
}

/** A request of somebody who is signed in; the operator context names them. */
export interface PersonCall extends Call, SignedIn {
  /** Publishers for which the person has a role. */
  readonly tenants: readonly ShownTenant[]
}

/** A request about one publisher, for which the person has a role. */
export interface TenantCall extends PersonCall {
  readonly tenant: ShownTenant
  readonly tenantId: string
  readonly role: AdminRole
  /** Path of the publisher's pages. */
  readonly base: string
}

/** What a route answers. */
export type Answer =
  | {
      readonly kind: 'page'
      readonly title: string
      readonly body: Html
      readonly status?: number
      readonly charts?: boolean
      /** It asks for a passkey. */
      readonly passkeys?: boolean
      readonly live?: string
      /** Seconds after which the same may be asked again. */
      readonly retryAfter?: number | undefined
    }
  /** A part of a page, for a script that puts it there. */
  | { readonly kind: 'fragment'; readonly body: Html }
  /** `session`: the token of a session that begins, or null for one that ends. */
  | { readonly kind: 'redirect'; readonly location: string; readonly session?: string | null }
  | { readonly kind: 'file'; readonly type: string; readonly name: string; readonly body: string | Uint8Array }
  /** A creative as it shows, in a document without an origin. `player`: the script of our player alone may run. */
  | { readonly kind: 'preview'; readonly document: string; readonly scripts: 'buyer' | 'player' | 'none' }
  /** Writes to the open response itself. */
  | { readonly kind: 'stream'; readonly start: (response: ServerResponse) => void }

interface Place {
  readonly method: 'GET' | 'POST'
  /** Below the console, with `{names}` of its parameters; `{tenant}` is the publisher. */
  readonly path: string
}

/** A page or an act of the console, and who may use it. Roles are for paths with `{tenant}`. */
export type ConsoleRoute = Place & {
  /** The name of the act that it carries out or shows. */
  readonly act?: string
  /** It takes a form that shows what is stored, and refuses it when a colleague changed the same. */
  readonly showsStored?: boolean
  /** Its form has a file, or texts of more than 64 KiB. */
  readonly hasLargeForm?: boolean
} & (
    | { readonly access: 'anyone'; readonly answer: (call: Call) => Promise<Answer> }
    | { readonly access: 'half-signed-in'; readonly answer: (call: HalfCall) => Promise<Answer> }
    | {
        readonly access: 'signed-in'
        readonly answer: (call: PersonCall) => Promise<Answer>
        /** Also for those who need a second factor and have none: to set one up, and to sign out. */
        readonly withoutFactor?: true
      }
    | { readonly access: readonly AdminRole[]; readonly answer: (call: TenantCall) => Promise<Answer> }
  )

/** Path below the server under which the console is served. */
export const CONSOLE = '/console'

/** Path below the console of a person's own second factors: the only page of somebody who needs one and has none. */
export const OWN_FACTORS = '/account/second-factor'

/** Path below the console where a second factor is shown at a sign-in. */
export const SHOW_FACTOR = '/sign-in/second-factor'

/** Path below the console to which the deployment's OpenID provider sends people back. */
export const SIGN_IN_CALLBACK = '/sign-in/callback'

/** A page of the publisher, for everybody who has a role there; what it shows and offers has roles of its own. */
export function pageRoute(path: string, answer: (call: TenantCall) => Promise<Answer>): ConsoleRoute {
  return { method: 'GET', path: `/t/{tenant}${path}`, access: ADMIN_ROLES, answer }
}

/** A route whose form has a file, or texts of more than 64 KiB. Only signed-in people can send it. */
export function largeForm(route: ConsoleRoute): ConsoleRoute {
  return { ...route, hasLargeForm: true }
}

/** A page; one that shows a refusal has the status that the refusal has in the admin API. */
export function page(
  title: string,
  body: Html,
  {
    refusal,
    ...more
  }: {
    readonly status?: number
    readonly refusal?: AdcpError | undefined
    readonly charts?: boolean
    readonly passkeys?: boolean
    readonly live?: string
    readonly retryAfter?: number | undefined
  } = {},
): Answer {
  return { kind: 'page', title, body, ...(refusal && { status: statusOf(refusal) }), ...more }
}

/** After a form: the browser loads a page, so that a reload sends nothing twice. `done` names a message of {@link DONE}. */
export function redirect(location: string, done?: keyof typeof DONE): Extract<Answer, { kind: 'redirect' }> {
  return {
    kind: 'redirect',
    location: done === undefined ? location : `${location}${location.includes('?') ? '&' : '?'}done=${done}`,
  }
}

/** What a page says after an act; the address carries the name alone, so that nobody can put words here. */
export const DONE = {
  approved: 'Approved.',
  rejected: 'Rejected. The buyer gets the reason.',
  asked: 'Sent back to the buyer with your question.',
  paused: 'Paused.',
  resumed: 'Resumed.',
  canceled: 'Canceled.',
  ended: 'Ended.',
  imported: 'Imported.',
  closed: 'The month is closed.',
  paid: 'The payment is recorded.',
  refunded: 'The refund is recorded.',
  charged: 'Recorded: the next invoice of the order has it.',
  credited: 'The credit note is written.',
  takenback: 'Taken back: it counts for nothing any more.',
  offered: 'Offered.',
  decided: 'Decided.',
  archived: 'No longer for sale.',
  restored: 'For sale again.',
  suspended: 'Suspended: its keys do not work until you resume it.',
  active: 'Active again.',
  revoked: 'Revoked.',
  disconnected: 'Disconnected: its tokens stopped working.',
  added: 'Added.',
  changed: 'Saved.',
  unchanged: 'Nothing was changed: it was so already.',
  before: 'It was recorded already, by the same form: nothing was recorded again. For another one, open the page anew.',
  noted: 'Noted.',
  removed: 'Removed.',
  crawling: 'It is on the crawl list: its files are read within minutes.',
  tested: 'A test message was sent.',
  watching: `Calls of this buyer are recorded for ${WATCH_TEXT}.`,
  adopted: 'Taken over: it is what is wanted there from now on, until the buyer changes the same thing.',
  tried: 'Tried again: what came of it is under Ad server.',
  redelivered: 'Queued for delivery again.',
  signedout: 'You are signed out.',
  again: 'Sign in once more to go on.',
} as const

/** The message of an act that the address names. */
export function doneMessage(query: URLSearchParams): string | undefined {
  const name = query.get('done') ?? ''
  return isDone(name) ? DONE[name] : undefined
}

function isDone(name: string): name is keyof typeof DONE {
  return Object.hasOwn(DONE, name)
}
