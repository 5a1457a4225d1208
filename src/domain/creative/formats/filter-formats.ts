import type { ListCreativeFormatsRequest } from '@adcp/sdk/types'
import { AdcpError } from '../../../protocol/errors.ts'
import { nearestName, quoted } from '../../../protocol/nearest-name.ts'
import { meant } from '../../meant-value.ts'
import { containing } from '../../normal-text.ts'
import { requireOrder } from '../../order.ts'
import { type CatalogFormat, FORMAT_TYPES, type Format, type FormatRender } from './format.ts'
import { formatTest } from './format-test.ts'

/** The filters of both request schemas: media-buy/ and creative/list-creative-formats-request.json (`type`). */
export type FormatFilters = Omit<ListCreativeFormatsRequest, 'pagination' | 'context' | 'ext' | 'adcp_major_version'> & {
  readonly type?: string
}

type Test = (format: CatalogFormat) => boolean

const WCAG_ORDER = ['A', 'AA', 'AAA']

/** The formats that satisfy every filter given, in their own order. Throws INVALID_REQUEST for sizes from more to less. */
export function filterFormats(formats: readonly CatalogFormat[], filters: FormatFilters): CatalogFormat[] {
  const { min_width, max_width, min_height, max_height } = filters
  requireOrder({ value: min_width, field: 'min_width' }, { value: max_width, field: 'max_width' })
  requireOrder({ value: min_height, field: 'min_height' }, { value: max_height, field: 'max_height' })
  const tests = testsOf(filters)
  return formats.filter((format) => tests.every((test) => test(format)))
}

/** Refuses a type that no format can have: no formats would read like an answer to it. Looks at any value. */
export function requireType(type: unknown): void {
  if (type === undefined || FORMAT_TYPES.some((each) => each === type)) return
  const channel = meant('channel', type)?.value
  const near = FORMAT_TYPES.find((each) => each === channel) ?? nearestName(String(type), FORMAT_TYPES)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  const message = `type must be one of: ${FORMAT_TYPES.join(', ')}, not ${quoted(String(type))}${hint}`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'type' })
}

function testsOf(filters: FormatFilters): Test[] {
  const tests: Test[] = []
  const { format_ids, type, asset_types, is_responsive, name_search, wcag_level } = filters
  if (type !== undefined) tests.push((f) => f.type === type)
  if (format_ids) {
    const isWanted = formatTest(format_ids)
    tests.push(({ format }) => isWanted(format.format_id))
  }
  if (asset_types) tests.push((f) => includesAll(assetTypesOf(f.format), asset_types))
  if (hasDimensions(filters)) tests.push((f) => (f.format.renders ?? []).some((render) => fits(render, filters)))
  if (is_responsive !== undefined) tests.push((f) => isResponsive(f.format) === is_responsive)
  if (name_search !== undefined) {
    const isNamed = containing(name_search)
    tests.push(({ format }) => isNamed(format.name))
  }
  if (wcag_level !== undefined) tests.push((f) => wcagRank(f.format.accessibility?.wcag_level) >= wcagRank(wcag_level))
  tests.push(...disclosureTests(filters), ...transformTests(filters))
  return tests
}

/** Positions and persistence: `disclosure_capabilities` outranks the flat list (AdCP core/format.json). */
function disclosureTests({ disclosure_positions, disclosure_persistence }: FormatFilters): Test[] {
  const tests: Test[] = []
  if (disclosure_positions) {
    tests.push(({ format }) =>
      includesAll(
        format.disclosure_capabilities?.map((capability) => capability.position) ?? format.supported_disclosure_positions ?? [],
        disclosure_positions,
      ),
    )
  }
  if (disclosure_persistence) {
    tests.push(({ format }) =>
      includesAll(
        (format.disclosure_capabilities ?? []).flatMap((capability) => capability.persistence),
        disclosure_persistence,
      ),
    )
  }
  return tests
}

function transformTests({ output_format_ids, input_format_ids }: FormatFilters): Test[] {
  const tests: Test[] = []
  if (output_format_ids) {
    const isWanted = formatTest(output_format_ids)
    tests.push(({ format }) => (format.output_format_ids ?? []).some(isWanted))
  }
  if (input_format_ids) {
    const isWanted = formatTest(input_format_ids)
    tests.push(({ format }) => (format.input_format_ids ?? []).some(isWanted))
  }
  return tests
}

/** Asset types of a format, those inside repeatable groups too. */
function assetTypesOf(format: Format): string[] {
  return (format.assets ?? []).flatMap((asset) =>
    asset.item_type === 'repeatable_group' ? asset.assets.map((inner) => inner.asset_type) : [asset.asset_type],
  )
}

function hasDimensions({ min_width, max_width, min_height, max_height }: FormatFilters): boolean {
  return [min_width, max_width, min_height, max_height].some((limit) => limit !== undefined)
}

/** One render fits when a size exists for it within every limit, in pixels; a fluid render is a range of sizes. */
function fits(render: FormatRender, filters: FormatFilters): boolean {
  if (!('dimensions' in render)) return false
  const { width, height, min_width, max_width, min_height, max_height, unit } = render.dimensions
  if (unit !== undefined && unit !== 'px') return false
  return (
    overlaps(width ?? min_width, width ?? max_width, filters.min_width, filters.max_width) &&
    overlaps(height ?? min_height, height ?? max_height, filters.min_height, filters.max_height)
  )
}

function overlaps(low = 0, high = Number.POSITIVE_INFINITY, atLeast = 0, atMost = Number.POSITIVE_INFINITY): boolean {
  return low <= atMost && high >= atLeast
}

function isResponsive(format: Format): boolean {
  return (format.renders ?? []).some(
    (render) =>
      'dimensions' in render && (render.dimensions.responsive?.width === true || render.dimensions.responsive?.height === true),
  )
}

function wcagRank(level: string | undefined): number {
  return level === undefined ? -1 : WCAG_ORDER.indexOf(level)
}

function includesAll(own: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((value) => own.includes(value))
}
