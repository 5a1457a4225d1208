import type { AdminRole } from '../domain/identity/admin-role.ts'
import type { Db } from '../store/database.ts'
import type { CommandForm } from './command-form.ts'
import type { FieldSet, Values } from './fields.ts'
import type { Caller, OperatorContext } from './operator-context.ts'
import type { Shape } from './shape.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** What an act works with: the context of its caller, for the publisher that it is about. */
export interface ActContext extends OperatorContext {
  readonly tenantId: string
  /** Whose act it is; an act that consists of others carries them out for the same caller. */
  readonly caller: Caller
  /** Adds old and new value of each changed member to the audit entry, where `watch` cannot read them. Never secrets, and never personal data. */
  readonly noteChanges: (changes: Readonly<Record<string, Change>>) => void
  /** The same, where these are all that the act changes: when none differs, nothing was changed, and there is no entry. */
  readonly noteAllChanges: (changes: Readonly<Record<string, Change>>) => void
  /** Says for the audit log what the act is about, where no field says it: the id of something that it has made. */
  readonly noteSubject: (id: string) => void
  /** Says for the audit log what was done, where the name of the act does not: one of several decisions, or an act that runs as part of another. */
  readonly noteName: (name: string) => void
}

/** Old and new value of something that an act changed. */
export type Change = readonly [before: string | number | boolean | null, after: string | number | boolean | null]

/** One thing that the publisher's people do. The admin API, the command line and the console are three ways to it. */
export interface Act<F extends FieldSet = FieldSet, A extends object = object> {
  /** Area and act, e.g. `orders.pause`: in the audit log, and the words of the command. */
  readonly name: string
  /** Method and path below `/admin/v1`; its `{names}` are fields. */
  readonly method: Method
  readonly path: string
  /** `operationId` of the admin API. */
  readonly id: string
  readonly roles: readonly AdminRole[]
  /** `deployment`: about the whole deployment, for its administrators. */
  readonly scope: 'publisher' | 'deployment'
  readonly summary: string
  readonly fields: F
  readonly answer: Shape<A>
  /** Whether it changes something: then it is in the audit log, and repeats of an idempotency key are not carried out again. */
  readonly changes: boolean
  /** Whether it carries out other acts, one after another: each of them is in the audit log, and this one is not. */
  readonly inParts: boolean
  /** The field that says what the act is about, for the audit log. */
  readonly subject: string | undefined
  /** The field that names the account that it is about, for the audit log. */
  readonly account: string | undefined
  /** The field that names the publisher in whose audit log it is: of an act of the deployment about one publisher. */
  readonly publisher: string | undefined
  readonly command: CommandForm<F, A, Act> | undefined
  /** See {@link Watch}. */
  watch?(tx: Db, context: Watching, values: Values<F>): Promise<object | undefined>
  run(context: ActContext, values: Values<F>): Promise<A>
}

/** What runs through the road of acts: an act, or what only a person at the console does. */
export type Runnable<F extends FieldSet = FieldSet, A extends object = object> = Pick<
  Act<F, A>,
  'id' | 'name' | 'roles' | 'scope' | 'fields' | 'changes' | 'subject' | 'account' | 'publisher' | 'watch' | 'run'
> &
  Partial<Pick<Act<F, A>, 'answer' | 'inParts'>>

/** What a watch knows: the publisher, who acts and the time. It reads its transaction alone: whatever else is opened meanwhile could wait for it. */
export type Watching = Pick<ActContext, 'tenantId' | 'actor' | 'clock'>

/**
 * Reads what an act changes, in its transaction before and after: the audit log names each member that differs, old and new. Undefined where there is nothing.
 * A secret or an address is given as `concealed`.
 */
export type Watch<F extends FieldSet> = (tx: Db, context: Watching, values: Values<F>) => Promise<object | undefined>

/** What is written down of an act; the rest follows. */
interface Definition<F extends FieldSet, A extends object> {
  readonly name: string
  readonly route: `${Method} /${string}`
  readonly id: string
  readonly roles: readonly AdminRole[]
  readonly scope?: Act['scope']
  readonly summary: string
  readonly fields: F
  readonly answer: Shape<A>
  /** Default: what is not read with GET. */
  readonly changes?: boolean
  /** Default: false. */
  readonly inParts?: boolean
  /** Default: the last parameter of the path that is neither the account nor the publisher. */
  readonly subject?: keyof F & string
  readonly account?: keyof F & string
  readonly publisher?: keyof F & string
  /** How the command line shows it; absent: it has no command of its own. */
  readonly command?: CommandForm<F, A, Act>
  readonly watch?: Watch<F>
  readonly run: (context: ActContext, values: Values<F>) => Promise<A>
}

/** Defines an act. Throws when a parameter of its path is no required field. */
export function defineAct<F extends FieldSet, A extends object>(definition: Definition<F, A>): Act<F, A> {
  const {
    route,
    name,
    id,
    roles,
    scope = 'publisher',
    inParts = false,
    summary,
    fields,
    answer,
    account,
    publisher,
    command,
    watch,
    run,
  } = definition
  const [method, path] = splitRoute(route)
  const params = paramNames(path)
  const wrong = params.find((param) => !(Object.hasOwn(fields, param) && fields[param]?.required))
  if (wrong !== undefined) throw new Error(`${name}: {${wrong}} of the path is no required field`)
  const { changes = method !== 'GET' } = definition
  const { subject = params.findLast((param) => param !== account && param !== publisher) } = definition
  const log = { changes, inParts, subject, account, publisher }
  return { name, method, path, id, roles, scope, summary, fields, answer, ...log, command, ...(watch && { watch }), run }
}

/**
 * Defines what belongs to one person, or needs the memory of the process that shows it or a file of the disk: it has no operation of the admin API.
 * `name`: in the audit log.
 */
export function definePersonAct<F extends FieldSet, A extends object>(
  definition: Pick<Definition<F, A>, 'name' | 'roles' | 'fields' | 'watch' | 'run'> & {
    readonly changes: boolean
    readonly subject?: keyof F & string
  },
): Runnable<F, A> {
  const { name, subject } = definition
  return { ...definition, id: name, scope: 'publisher', subject, account: undefined, publisher: undefined }
}

/** The names of a path's parameters, in their order. */
export function paramNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function splitRoute(route: string): readonly [Method, string] {
  const [word = '', path = ''] = route.split(' ')
  const method = METHODS.find((each) => each === word)
  if (!method) throw new Error(`${route} names no method`)
  return [method, path]
}
