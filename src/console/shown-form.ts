import { createHash } from 'node:crypto'
import { guardedStore } from '../operator/audited-store.ts'
import { AdcpError } from '../protocol/errors.ts'
import { type Html, html } from './html.ts'
import type { TenantCall } from './route.ts'

/** What the inputs of a form hold, by their names: a text, or the values that are ticked. */
export type Inputs = Readonly<Record<string, string | readonly string[]>>

/** What a form calls its inputs. */
export type Labels = ReadonlyMap<string, string>

/** A digest of what each input was filled with, by the names of the inputs. */
type Shown = ReadonlyMap<string, string>

/** The hidden input that carries the digests. */
const SHOWN = 'shown'
const DIGEST_LETTERS = 16
const MOST_QUOTED_LETTERS = 80

/** The hidden input for a form that shows what is stored: with it, {@link changeStored} tells what the person changed from what somebody else changed meanwhile. */
export function shownField(stored: Inputs): Html {
  const digests = new URLSearchParams(Object.entries(stored).map(([name, value]): [string, string] => [name, digestOf(value)]))
  return html`<input type="hidden" name="${SHOWN}" value="${digests.toString()}">`
}

/**
 * The names of the inputs that the person changed; `stored` is what is stored now, `labels` what the form calls its inputs. Throws CONFLICT when somebody else changed one of them since the form
 * was opened, and INVALID_REQUEST for a form that does not say what it showed: it would overwrite what it never saw.
 */
function changedInputs(form: URLSearchParams, stored: Inputs, labels: Labels): ReadonlySet<string> {
  const shown = readShown(form)
  if (!shown)
    throw new AdcpError('INVALID_REQUEST', 'the form does not say what it showed; open it again and change it there', {
      field: SHOWN,
    })
  const changed = changedNames(form, shown, stored)
  for (const name of changed) {
    const now = digestOf(stored[name])
    if (now === shown.get(name) || now === digestOf(form.getAll(name))) continue
    throw overtaken(name, stored, labels)
  }
  return changed
}

/** What a form shows of what is stored, and how that is read. */
export interface StoredForm {
  /** What the form calls its inputs. */
  readonly labels: Labels
  /** What is stored, as the inputs show it; no inputs: nothing is there. Asks the store of its call for all that it needs: within a transaction, anything else that writes would wait for it. */
  readonly read: (call: TenantCall) => Promise<Inputs>
  /** What was sent, by the names that `read` has, where several inputs hold one thing. */
  readonly folded?: (form: URLSearchParams) => URLSearchParams
}

/** A form that was sent, beside what is stored. */
export interface SentForm {
  readonly stored: Inputs
  /** Nothing is stored: what the form has is new. */
  readonly isNew: boolean
  /** Whether the person changed an input; of what is new, each. */
  readonly isChanged: (name: string) => boolean
  /** The members whose inputs the person changed, which are named as the inputs are; of what is new, all. */
  readonly changedOf: <T extends object>(members: T) => Partial<T>
  /** What every input holds: what is stored, under what the person changed. */
  readonly filled: URLSearchParams
}

/**
 * Carries out a form that shows what is stored: `save` gets a call whose act writes only while that is stored. Throws CONFLICT, before or within the transaction of the act, when somebody else changed
 * an input that the person changed too, or took all of it away; INVALID_REQUEST for a form that does not say what it showed.
 */
export async function changeStored<T>(
  call: TenantCall,
  { labels, read, folded = (form) => form }: StoredForm,
  save: (call: TenantCall, sent: SentForm) => Promise<T>,
): Promise<T> {
  const form = folded(call.form)
  const stored = await read(call)
  const isNew = Object.keys(stored).length === 0
  if (isNew && form.has(SHOWN)) throw gone()
  const changed = isNew ? undefined : changedInputs(form, stored, labels)
  return save(whileStored(call, stored, labels, read), {
    stored,
    isNew,
    isChanged: (name) => changed?.has(name) ?? true,
    changedOf: (members) => (changed ? onlyChanged(members, changed) : members),
    filled: isNew ? form : filledForm(form, stored),
  })
}

/** What the person sent to a path; an empty form for any other path, so that on a page with several forms the one that was sent is filled again. */
export function sentTo({ path, form }: Pick<TenantCall, 'path' | 'form'>, action: string): URLSearchParams {
  return path === action ? form : new URLSearchParams()
}

/**
 * A call whose act changes what is stored only while that is `stored`: the act's own transaction begins by reading it again. Throws CONFLICT there when somebody changed it since, between the page's own
 * reading and the act's writing.
 */
function whileStored(call: TenantCall, stored: Inputs, labels: Labels, read: (call: TenantCall) => Promise<Inputs>): TenantCall {
  const { operator } = call
  const store = guardedStore(operator.store, async (inside) => {
    const now = await read({ ...call, operator: { ...operator, store: inside } })
    if (Object.keys(now).length === 0 && Object.keys(stored).length > 0) throw gone()
    const changed = Object.keys(now).find((name) => textOf(now[name]) !== textOf(stored[name]))
    if (changed !== undefined) throw overtaken(changed, now, labels)
  })
  return { ...call, operator: { ...operator, store } }
}

function gone(): AdcpError {
  const message =
    'What the form shows is not there any more: somebody took it away while you had the form open. Nothing was saved.'
  return new AdcpError('CONFLICT', message)
}

function overtaken(name: string, stored: Inputs, labels: Labels): AdcpError {
  const text = textOf(stored[name])
  const value = text === '' ? 'empty' : `"${text.replaceAll('\n', ', ').slice(0, MOST_QUOTED_LETTERS)}"`
  const message = `${labels.get(name) ?? name} is ${value} by now: somebody changed it while you had the form open. Nothing was saved.`
  return new AdcpError('CONFLICT', message, { field: name })
}

/** What a form is filled with: what is stored now, under what the person changed. A page that was just opened has no changes, and of what is new there is nothing else than what the person wrote. */
export function filledForm(form: URLSearchParams, stored: Inputs): URLSearchParams {
  const shown = readShown(form)
  const changed = shown ? changedNames(form, shown, stored) : new Set<string>()
  const filled = Object.entries(stored).flatMap(([name, value]) => {
    const values = changed.has(name) ? form.getAll(name) : [value].flat()
    return values.map((each): [string, string] => [name, each])
  })
  return new URLSearchParams(filled)
}

/** The members whose inputs the person changed; a member is named as its input is. */
function onlyChanged<T extends object>(members: T, changed: ReadonlySet<string>): Partial<T> {
  const kept: Partial<T> = { ...members }
  for (const name in kept) if (!changed.has(name)) delete kept[name]
  return kept
}

function changedNames(form: URLSearchParams, shown: Shown, stored: Inputs): Set<string> {
  return new Set(Object.keys(stored).filter((name) => digestOf(form.getAll(name)) !== shown.get(name)))
}

function digestOf(value: Inputs[string] | undefined): string {
  return createHash('sha256').update(textOf(value)).digest('base64url').slice(0, DIGEST_LETTERS)
}

/** Values as one text that is the same for the same content, however a browser sends it. */
function textOf(value: Inputs[string] = []): string {
  return [value]
    .flat()
    .map((each) => each.replaceAll('\r\n', '\n').trim())
    .filter((each) => each !== '')
    .sort()
    .join('\n')
}

/** Undefined: the form does not say it. */
function readShown(form: URLSearchParams): Shown | undefined {
  const text = form.get(SHOWN)
  return text ? new Map(new URLSearchParams(text)) : undefined
}
