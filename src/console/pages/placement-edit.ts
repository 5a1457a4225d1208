import { savePlacement, showPlacement } from '../../operator/placements/manage-placements.ts'
import { statusOf } from '../../operator/refusal-status.ts'
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
import { written } from '../form-text.ts'
import { html } from '../html.ts'
import { heading } from '../parts/parts.ts'
import { type PlacementTexts, placementForm } from '../parts/placement-form.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { changedInputs, filledForm, type Inputs, whileStored } from '../shown-form.ts'

/** Placements are set up and changed by a form. */
export const placementEditRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/placements/new', savePlacement, async (call) => formPage(call, { values: EMPTY, targeting: NO_TARGETING })),
  actRoute('POST', '/placements/new', savePlacement, saveNew),
  actRoute('GET', '/placements/{id}/edit', savePlacement, editPage),
  actRoute('POST', '/placements/{id}/edit', savePlacement, saveChanged),
]

const EMPTY: PlacementTexts = { kind: 'display', status: 'active' }
const NO_TARGETING: LineTexts = { values: {}, choices: {} }
const IN_TARGETING = 'targeting-'

type Shown = Of<(typeof showPlacement)['answer']>

async function editPage(call: TenantCall): Promise<Answer> {
  const stored = inputsOf(await doAct(call, showPlacement, { placement: call.params.id }))
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
  readonly problems?: readonly string[]
}

function formPage(call: TenantCall, { values, targeting, id, stored, problems = [] }: Filled): Answer {
  const title = id === undefined ? 'New placement' : `Change ${values.name || id}`
  const path = id === undefined ? `${call.base}/placements` : pathOf(call.base, id)
  const notice =
    problems.length > 0 &&
    html`<div class="notice bad" role="alert"><p>Nothing was saved:</p><ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul></div>`
  const form = placementForm(call, { values, targeting, isNew: id === undefined, path, isOpen: hasTargeting(targeting), stored })
  return page(title, html`${notice}${heading(title, undefined, id)}${form}`)
}

async function saveNew(call: TenantCall): Promise<Answer> {
  const id = written(call.form, 'placement') ?? ''
  return save(call, { id, isNew: true, form: call.form }, () => textsOf(call.form))
}

/** The act sets everything of a placement: what the person did not change is sent as it is stored. */
async function saveChanged(call: TenantCall): Promise<Answer> {
  const { params } = call
  const stored = inputsOf(await doAct(call, showPlacement, { placement: params.id }))
  const form = filledForm(call.form, stored)
  const again = () => ({ ...textsOf(form), stored, id: params.id ?? '' })
  return save(call, { id: params.id ?? '', isNew: false, form, stored }, again)
}

interface Change {
  readonly id: string
  readonly isNew: boolean
  readonly form: URLSearchParams
  readonly stored?: Inputs
}

async function save(call: TenantCall, { id, isNew, form, stored }: Change, filled: () => Filled): Promise<Answer> {
  const problems: string[] = []
  const targeting = targetingOfTexts(textsInForm(form, IN_TARGETING), (member, message) => {
    const title = TARGETING_FIELDS.find(([name]) => name === member)?.[1].title ?? member
    problems.push(`${title}: ${message}`)
  })
  const again = (found: readonly string[], code = 'INVALID_REQUEST'): Answer => {
    const shown = formPage(call, { ...filled(), problems: found })
    return shown.kind === 'page' ? { ...shown, status: statusOf({ code }) } : shown
  }
  if (problems.length > 0) return again(problems)
  try {
    if (stored) changedInputs(call.form, stored, LABELS)
    const read = async (reader: TenantCall) => inputsOf(await doAct(reader, showPlacement, { placement: id }))
    await doAct(stored ? whileStored(call, stored, LABELS, read) : call, savePlacement, {
      placement: id,
      ...membersOf(form),
      targeting,
      only_new: isNew,
    })
    return redirect(pathOf(call.base, id), isNew ? 'added' : 'changed')
  } catch (error) {
    if (!(error instanceof AdcpError) || !['INVALID_REQUEST', 'CONFLICT'].includes(error.code)) throw error
    return again(
      (error.issues ?? []).length > 0
        ? (error.issues ?? []).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`)
        : [error.message],
      error.code,
    )
  }
}

function membersOf(form: URLSearchParams) {
  const sizes = (form.get('sizes') ?? '').split(/[\s,;|]+/).filter((size) => size !== '')
  const capacity = written(form, 'daily_capacity')?.replaceAll(/[\s\u00a0\u202f]/g, '')
  const plain = Object.fromEntries(
    ['name', 'kind', 'status', 'available_from', 'available_until'].map((name) => [name, written(form, name)]),
  )
  return {
    ...plain,
    sizes: sizes.length > 0 ? sizes : undefined,
    daily_capacity: capacity === undefined ? undefined : savePlacement.fields.daily_capacity.parse?.(capacity),
  }
}

function pathOf(base: string, id: string): string {
  return `${base}/placements/${encodeURIComponent(id)}`
}
