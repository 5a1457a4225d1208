import { savePlacement, showPlacement } from '../../operator/placements/manage-placements.ts'
import type { Of } from '../../operator/shape.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  hasTargeting,
  type LineTexts,
  TARGETING_FIELDS,
  targetingOfTexts,
  textsInForm,
  textsOfTargeting,
} from '../direct-targeting.ts'
import { actRoute, doAct } from '../do-act.ts'
import { orAgain, storedFormRoute, withRefusal } from '../form-outcome.ts'
import { written } from '../form-text.ts'
import { html } from '../html.ts'
import { heading } from '../parts/parts.ts'
import { type PlacementTexts, placementForm } from '../parts/placement-form.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm } from '../shown-form.ts'

const IN_TARGETING = 'targeting-'

/** What the form shows of targeting that is not there. */
const EMPTY_TARGETING: Inputs = {
  ...Object.fromEntries(TARGETING_FIELDS.map(([member, { entry }]) => [member, entry === 'choices' ? [] : ''])),
  ...{ cap_interval: '1', cap_unit: 'days' },
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ...TARGETING_FIELDS.map(([member, { title }]) => [IN_TARGETING + member, title] as const),
  ...([
    ['name', 'Name'],
    ['kind', 'Shows'],
    ['status', 'Status'],
    ['sizes', 'Sizes'],
  ] as const),
  ...([
    ['daily_capacity', 'Impressions a day'],
    ['available_from', 'First day'],
    ['available_until', 'Last day'],
  ] as const),
  ...([
    ['targeting-cap_interval', 'Time of the limit for one visitor'],
    ['targeting-cap_unit', 'Unit of that time'],
  ] as const),
])

/** Placements are set up and changed by a form. */
export const placementEditRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/placements/new', savePlacement, newPage),
  actRoute('POST', '/placements/new', savePlacement, orAgain(saveNew, withRefusal(newPage))),
  actRoute('GET', '/placements/{id}/edit', savePlacement, editPage),
  storedFormRoute('/placements/{id}/edit', savePlacement, {
    labels: LABELS,
    read: readPlacement,
    save: saveChanged,
    again: withRefusal(editPage),
  }),
]

const EMPTY: PlacementTexts = { kind: 'display', status: 'active' }
const NO_TARGETING: LineTexts = { values: {}, choices: {} }

type Shown = Of<(typeof showPlacement)['answer']>

async function newPage(call: TenantCall): Promise<Answer> {
  return formPage(call, call.form.size > 0 ? textsOf(call.form) : { values: EMPTY, targeting: NO_TARGETING })
}

async function readPlacement(call: TenantCall): Promise<Inputs> {
  return inputsOf(await doAct(call, showPlacement, { placement: call.params.id }))
}

async function editPage(call: TenantCall): Promise<Answer> {
  const stored = await readPlacement(call)
  return formPage(call, { ...textsOf(filledForm(call.form, stored)), stored, id: call.params.id ?? '' })
}

/** What the form shows of a placement as it is stored. */
function inputsOf(found: Shown): Inputs {
  const { values, choices } = textsOfTargeting(found.targeting)
  const targeting = { ...EMPTY_TARGETING, ...values, ...choices }
  return {
    ...{ name: found.name, kind: found.kind, status: found.status, sizes: found.sizes.join(', ') },
    daily_capacity: found.daily_capacity === null ? '' : String(found.daily_capacity),
    available_from: found.available_from ?? '',
    available_until: found.available_until ?? '',
    ...Object.fromEntries(Object.entries(targeting).map(([member, value]) => [IN_TARGETING + member, value])),
  }
}

function textsOf(form: URLSearchParams): Pick<Filled, 'values' | 'targeting'> {
  const values = Object.fromEntries([...form].map(([name, value]) => [name, value.trim()]))
  return { values, targeting: textsInForm(form, IN_TARGETING) }
}

interface Filled {
  readonly values: PlacementTexts
  readonly targeting: LineTexts
  /** Of the placement that is changed; absent: a new one. */
  readonly id?: string
  /** What is stored of it now. */
  readonly stored?: Inputs
}

function formPage(call: TenantCall, { values, targeting, id, stored }: Filled): Answer {
  const title = id === undefined ? 'New placement' : `Change ${values.name || id}`
  const path = id === undefined ? `${call.base}/placements` : pathOf(call.base, id)
  const form = placementForm(call, { values, targeting, isNew: id === undefined, path, isOpen: hasTargeting(targeting), stored })
  return page(title, html`${heading(title, undefined, id)}${form}`)
}

async function saveNew(call: TenantCall): Promise<Answer> {
  const placement = written(call.form, 'placement') ?? ''
  await doAct(call, savePlacement, { placement, ...membersOf(call.form), only_new: true })
  return redirect(pathOf(call.base, placement), 'added')
}

/** The act sets everything of a placement: what the person did not change is sent as it is stored. */
async function saveChanged(call: TenantCall, { filled }: SentForm): Promise<Answer> {
  const placement = call.params.id ?? ''
  await doAct(call, savePlacement, { placement, ...membersOf(filled), only_new: false })
  return redirect(pathOf(call.base, placement), 'changed')
}

/** What a form says of its targeting. Throws INVALID_REQUEST with an issue for each input that cannot be read. */
function targetingIn(form: URLSearchParams) {
  const issues: { pointer: string; message: string; keyword: string }[] = []
  const targeting = targetingOfTexts(textsInForm(form, IN_TARGETING), (member, message) => {
    const title = TARGETING_FIELDS.find(([name]) => name === member)?.[1].title ?? member
    issues.push({ pointer: title, message, keyword: 'format' })
  })
  if (issues.length > 0) throw new AdcpError('INVALID_REQUEST', 'what visits it is for cannot be read', { issues })
  return targeting
}

function membersOf(form: URLSearchParams) {
  const sizes = (form.get('sizes') ?? '').split(/[\s,;|]+/).filter((size) => size !== '')
  const capacity = written(form, 'daily_capacity')?.replaceAll(/[\s\u00a0\u202f]/g, '')
  const plain = Object.fromEntries(
    ['name', 'kind', 'status', 'available_from', 'available_until'].map((name) => [name, written(form, name)]),
  )
  return {
    ...plain,
    targeting: targetingIn(form),
    sizes: sizes.length > 0 ? sizes : undefined,
    daily_capacity: capacity === undefined ? undefined : savePlacement.fields.daily_capacity.parse?.(capacity),
  }
}

function pathOf(base: string, id: string): string {
  return `${base}/placements/${encodeURIComponent(id)}`
}
