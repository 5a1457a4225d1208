import { MOST_IN_FORM } from '../operator/size-limits.ts'
import { type LineTexts, TARGETING_FIELDS } from './direct-targeting.ts'

/** A creative as it stands in the form: texts by the names of its fields. */
export interface DraftCreative {
  readonly kind: CreativeKind
  readonly values: Readonly<Record<string, string>>
}

export interface DraftLine extends LineTexts {
  readonly creatives: readonly DraftCreative[]
}

/** A direct order as it stands in the form, complete or not. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>
  readonly lines: readonly DraftLine[]
}

/** One field of a creative. `required`: what it has to say. */
export interface CreativeField {
  readonly name: string
  readonly label: string
  readonly type?: 'url' | 'text' | 'number' | 'code'
  readonly required?: true
  readonly hint?: string
}

const SIZE: readonly CreativeField[] = [
  { name: 'width', label: 'Width in pixels', type: 'number', required: true },
  { name: 'height', label: 'Height in pixels', type: 'number', required: true },
]
const WEIGHT: CreativeField = {
  name: 'weight',
  label: 'Share against the others',
  type: 'number',
  hint: '1 to 100. Empty: the same as others.',
}
const CLICK: CreativeField = {
  name: 'click_url',
  label: 'Landing page',
  type: 'url',
  hint: 'Empty: a click leads nowhere, or where the creative itself says.',
}

/** Kinds of creatives with what each is entered as. */
export const CREATIVE_KINDS = {
  picture: {
    title: 'Picture',
    fields: [
      { name: 'url', label: 'Address of the picture', type: 'url', required: true },
      CLICK,
      ...SIZE,
      { name: 'alt', label: 'Text in place of the picture' },
    ],
  },
  html5: {
    title: 'HTML5 archive',
    fields: [
      {
        name: 'url',
        label: 'Address of its page',
        type: 'url',
        required: true,
        hint: 'Host the archive under Creatives, Host a file; that gives the address.',
      },
      CLICK,
      ...SIZE,
    ],
  },
  tag: {
    title: 'HTML or third-party tag',
    fields: [{ name: 'html', label: 'Code', type: 'code', required: true }, CLICK, ...SIZE],
  },
  native: {
    title: 'Native',
    fields: [
      { name: 'title', label: 'Title', required: true },
      { name: 'body', label: 'Text' },
      { name: 'cta', label: 'Call to action' },
      { name: 'sponsor', label: 'Sponsor' },
      { name: 'image', label: 'Address of its picture', type: 'url' },
      CLICK,
    ],
  },
  video: {
    title: 'Video file',
    fields: [
      { name: 'url', label: 'Address of the video', type: 'url', required: true },
      { name: 'duration_seconds', label: 'Length in seconds', type: 'number', required: true },
      CLICK,
      ...SIZE,
      { name: 'mime_type', label: 'Type', hint: 'Empty: by the ending of the address, such as video/mp4.' },
    ],
  },
  vast: { title: 'VAST tag', fields: [{ name: 'url', label: 'Address of the tag', type: 'url', required: true }, CLICK] },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly fields: readonly CreativeField[] }>>

export type CreativeKind = keyof typeof CREATIVE_KINDS

/** The fields of a kind. */
export function fieldsOfKind(kind: CreativeKind): readonly CreativeField[] {
  return [...CREATIVE_KINDS[kind].fields, WEIGHT]
}

function isKind(text: string): text is CreativeKind {
  return Object.hasOwn(CREATIVE_KINDS, text)
}

const NEW_CREATIVE: DraftCreative = { kind: 'picture', values: {} }

/** What a line begins with that is added after another one. */
const REPEATED = ['product_id', 'priority', 'first', 'last', 'price_model', 'cpm', 'pacing'] as const

/** A line with one picture; the next lines begin like the one before. */
export function newLine(values: Readonly<Record<string, string>>): DraftLine {
  const repeated = REPEATED.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]))
  return { values: Object.fromEntries(repeated), choices: {}, creatives: [NEW_CREATIVE] }
}

/** Members of a line of which several values can be ticked. */
const TICKED: ReadonlySet<string> = new Set(
  TARGETING_FIELDS.flatMap(([member, { entry }]) => (entry === 'choices' ? [member] : [])),
)

/** Fields of a line, those of its creatives by their number. */
interface FormLine {
  readonly values: Record<string, string>
  readonly choices: Record<string, string[]>
  readonly creatives: Map<number, Record<string, string>>
}

/** Reads the fields of the form; those that are missing are empty. */
export function readDraft(form: URLSearchParams): Draft {
  const values: Record<string, string> = {}
  const lines = new Map<number, FormLine>()
  for (const [name, text] of form) {
    const value = text.trim()
    const [, line, creative, member] = /^line-(\d{1,2})-(?:creative-(\d{1,2})-)?(\w{1,40})$/.exec(name) ?? []
    if (line === undefined || member === undefined) {
      values[name] = value
      continue
    }
    const held: FormLine = lines.get(Number(line)) ?? { values: {}, choices: {}, creatives: new Map() }
    lines.set(Number(line), held)
    if (creative !== undefined) held.creatives.set(Number(creative), { ...held.creatives.get(Number(creative)), [member]: value })
    else if (TICKED.has(member)) held.choices[member] = [...(held.choices[member] ?? []), value]
    else held.values[member] = value
  }
  const inOrder = <T>(held: ReadonlyMap<number, T>) => [...held].sort(([a], [b]) => a - b).map(([, each]) => each)
  return {
    values,
    lines: inOrder(lines)
      .slice(0, MOST_IN_FORM.lines)
      .map(({ creatives, ...line }) => ({
        ...line,
        creatives: inOrder(creatives).slice(0, MOST_IN_FORM.creatives).map(draftCreative),
      })),
  }
}

function draftCreative({ kind = '', ...values }: Record<string, string>): DraftCreative {
  return { kind: isKind(kind) ? kind : 'picture', values }
}

/** What a button of the form asks for beside entering the order: `add-line`, `remove-line-2`, `add-creative-0`, `remove-creative-0-1`. */
export interface DraftChange {
  readonly draft: Draft
  /** Id of the field that the person goes on with. */
  readonly focus: string
}

/** The draft with what a button adds or removes; undefined when the button enters the order. */
export function changedDraft(draft: Draft, button: string): DraftChange | undefined {
  const { lines } = draft
  const [, act, first, second] =
    /^(add-line|remove-line|add-creative|remove-creative)(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/.exec(button) ?? []
  const [at, creativeAt] = [Number(first), Number(second)]
  if (act === undefined) return undefined
  if (act === 'add-line') {
    const added = lines.length < MOST_IN_FORM.lines ? [...lines, newLine(lines.at(-1)?.values ?? {})] : lines
    return { draft: { ...draft, lines: added }, focus: `line-${added.length - 1}-product_id` }
  }
  if (act === 'remove-line') {
    const others = lines.length > 1 ? lines.filter((_line, index) => index !== at) : lines
    return { draft: { ...draft, lines: others }, focus: `line-${Math.max(0, Math.min(at, others.length - 1))}-product_id` }
  }
  const change = (line: DraftLine): DraftLine => ({ ...line, creatives: changedCreatives(line, act, creativeAt) })
  const changed = lines.map((line, index) => (index === at ? change(line) : line))
  const count = changed[at]?.creatives.length ?? 1
  if (count === 0) return { draft: { ...draft, lines: changed }, focus: `line-${at}-new_kind` }
  const shown = act === 'add-creative' ? count - 1 : Math.max(0, Math.min(creativeAt, count - 1))
  const kind = changed[at]?.creatives[shown]?.kind ?? 'picture'
  return { draft: { ...draft, lines: changed }, focus: `line-${at}-creative-${shown}-${fieldsOfKind(kind)[0]?.name}` }
}

function changedCreatives({ creatives, values }: DraftLine, act: string, at: number): readonly DraftCreative[] {
  if (act === 'remove-creative') return creatives.filter((_creative, index) => index !== at)
  const kind = values.new_kind ?? ''
  return creatives.length < MOST_IN_FORM.creatives ? [...creatives, draftCreative({ kind })] : creatives
}
