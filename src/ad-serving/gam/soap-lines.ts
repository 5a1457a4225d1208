import { isTimeZone, localCalendar } from '../../domain/calendar/local-time.ts'
import { SOAP_TYPE } from '../../platform/decode/soap-element.ts'
import type { XmlValue } from '../../platform/decode/write-xml.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Message } from './client.ts'
import { DAYPARTS } from './dayparts.ts'
import { GamOutage } from './gam-error.ts'
import type { GamParts } from './gam-parts.ts'
import { countOf, dayOf, idOf, inBatches, messageOf, microsOf, momentOf, nameOf, textOf } from './messages.ts'
import { childOf, elementsOf, type SoapParameters, statement, typed } from './soap-elements.ts'
import { soapTargeting } from './soap-targeting.ts'

const SERVICE = 'LineItemService'
/** Ids in one statement: no more than results of one page. */
const PAGE = 500

/** Line items with the hours that the SOAP API has of them. Throws {@link GamOutage} where it does not show one yet that is known to have, or to have had, some. */
export async function linesWithDayparts(
  { soap }: Pick<GamParts, 'soap'>,
  lines: readonly Message[],
  isDaily: (line: Message) => boolean,
): Promise<readonly Message[]> {
  const found = await soapLines({ soap }, lines.map(nameOf).map(idOf))
  return lines.map((line) => {
    const own = found.get(idOf(nameOf(line)))
    if (!own && isDaily(line)) throw new GamOutage(`the SOAP API of Google Ad Manager does not show ${nameOf(line)} yet`, 'none')
    const hours = messageOf(messageOf(own, 'targeting'), DAYPARTS)
    if (!hours) return line
    return {
      ...line,
      targeting: { ...messageOf(line, 'targeting'), [DAYPARTS]: { ...hours, dayParts: elementsOf(hours, 'dayParts') } },
    }
  })
}

/** By id. */
async function soapLines({ soap }: Pick<GamParts, 'soap'>, ids: readonly string[]): Promise<ReadonlyMap<string, Message>> {
  const found = new Map<string, Message>()
  for (const some of inBatches(ids, PAGE)) {
    const filterStatement = statement(`WHERE id IN (${some.join(', ')}) LIMIT ${PAGE}`)
    const [answer] = await soap.call(SERVICE, 'getLineItemsByStatement', { filterStatement }, 'repeatable')
    for (const line of answer ? elementsOf(answer, 'results') : []) found.set(textOf(line, 'id') ?? '', line)
  }
  return found
}

/**
 * Writes the whole targeting of a line item by the SOAP API, which has no way to write one member: the line is read, given the targeting, and written with all else as it was
 * read. `line`: as the REST API has it after its own writes; where the SOAP API still shows another one nothing is written, and {@link GamOutage} is thrown.
 */
export async function writeSoapTargeting(
  { soap }: Pick<GamParts, 'soap'>,
  line: Message,
  { targeting, allowOverbook }: { readonly targeting: Message; readonly allowOverbook: boolean },
): Promise<void> {
  const id = idOf(nameOf(line))
  const there = (await soapLines({ soap }, [id])).get(id)
  if (!there || !isSameLine(there, line))
    throw new GamOutage(`the SOAP API of Google Ad Manager does not show ${nameOf(line)} as it was written yet`, 'none')
  const members = Object.entries(asWritten(there))
  const at = members.findIndex(([name]) => AFTER_OVERBOOK.includes(name))
  if (allowOverbook && at >= 0) members.splice(at, 0, ['allowOverbook', true])
  // A member that is there keeps its place.
  const lineItems = { ...Object.fromEntries(members), targeting: soapTargeting(targeting) }
  await soap.call(SERVICE, 'updateLineItems', { lineItems }, 'repeatable')
}

/** Members of a line item that its schema has behind `allowOverbook`, of which answers have some. */
const AFTER_OVERBOOK = [
  ...['skipInventoryCheck', 'skipCrossSellingRuleWarningChecks', 'reserveAtCreation', 'stats', 'deliveryIndicator'],
  ...['deliveryData', 'budget', 'status', 'reservationStatus', 'isArchived'],
]

/** Elements as they were read, with their types. */
function asWritten(element: Message): SoapParameters {
  const { [SOAP_TYPE]: type, ...children } = element
  return {
    ...(typeof type === 'string' && typed(type)),
    ...Object.fromEntries(Object.entries(children).map(([name, child]) => [name, written(child)])),
  }
}

function written(value: unknown): XmlValue {
  if (Array.isArray(value)) return value.map(written)
  if (isObject(value)) return asWritten(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
}

/** Whether both APIs show the same of what changes most. */
function isSameLine(soap: Message, rest: Message): boolean {
  const same = ([theirs, ours]: readonly [string, string]) => textOf(soap, theirs) === textOf(rest, ours)
  return (
    SAME_TEXTS.every(same) &&
    countOf(childOf(soap, 'costPerUnit'), 'microAmount') === microsOf(messageOf(rest, 'rate')) &&
    countOf(childOf(soap, 'primaryGoal'), 'units') === countOf(messageOf(rest, 'goal'), 'units') &&
    isSameMoment(childOf(soap, 'startDateTime'), momentOf(rest, 'startTime')) &&
    isSameMoment(childOf(soap, 'endDateTime'), momentOf(rest, 'targetEndTime') ?? momentOf(rest, 'endTime'))
  )
}

const SAME_TEXTS = [
  ['name', 'displayName'],
  ['externalId', 'externalLineItemId'],
  ['lineItemType', 'lineItemType'],
  ['deliveryRateType', 'deliveryRateType'],
] as const

/** Whether a DateTime of the SOAP API, the time of a clock in a zone, is a moment, to the minute. */
function isSameMoment(dateTime: Message | undefined, moment: string | undefined): boolean {
  const zone = textOf(dateTime, 'timeZoneId')
  if (!dateTime || moment === undefined || zone === undefined || !isTimeZone(zone)) return true
  const [calendar, at] = [localCalendar(zone), new Date(moment)]
  const [hour, minute] = ['hour', 'minute'].map((part) => String(countOf(dateTime, part)).padStart(2, '0'))
  return dayOf(childOf(dateTime, 'date')) === calendar.dayOf(at) && `${hour}:${minute}` === calendar.timeOf(at)
}
