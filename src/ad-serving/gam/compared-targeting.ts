import { isObject } from '../../protocol/is-object.ts'
import type { Message } from './client.ts'
import { DAYPARTS } from './dayparts.ts'
import { messageOf, messagesOf, textsOf } from './messages.ts'

/** Places, devices, systems, languages and audiences of a targeting, in an order that means nothing: what a setting of an order stands for. */
export function comparableReach(targeting: Message | undefined): readonly unknown[] {
  const geo = messageOf(targeting, 'geoTargeting')
  const technology = messageOf(targeting, 'technologyTargeting')
  const device = messageOf(technology, 'deviceCategoryTargeting')
  const sorted = (message: Message | undefined, name: string) => [...textsOf(message, name)].sort()
  const system = messageOf(technology, 'operatingSystemTargeting')
  const language = messageOf(technology, 'browserLanguageTargeting')
  const segments = messagesOf(messageOf(targeting, 'customTargeting'), 'customTargetingClauses').flatMap((clause) =>
    messagesOf(clause, 'audienceSegmentTargetings').map((each) => [each.negative === true, sorted(each, 'audienceSegments')]),
  )
  // Left out where there is nothing: what was remembered before they were mapped reads the same.
  const more = withoutEmpty({
    systems: [sorted(system, 'targetedOperatingSystems'), sorted(system, 'excludedOperatingSystems')],
    languages: [sorted(language, 'targetedBrowserLanguages'), sorted(language, 'excludedBrowserLanguages')],
    segments,
  })
  return [
    sorted(geo, 'targetedGeos'),
    sorted(geo, 'excludedGeos'),
    sorted(device, 'targetedCategories'),
    sorted(device, 'excludedCategories'),
    ...(more === undefined ? [] : [more]),
  ]
}

/** Where the product is: ad units, placements, keys and values. */
export function comparableInventory(targeting: Message | undefined): unknown {
  const inventory = messageOf(targeting, 'inventoryTargeting')
  const clauses = messagesOf(messageOf(targeting, 'customTargeting'), 'customTargetingClauses')
  const units = (name: string) =>
    messagesOf(inventory, name)
      .map(({ adUnit, includeDescendants }) => `${String(adUnit)}${includeDescendants === true ? ' and below' : ''}`)
      .sort()
  return {
    targetedAdUnits: units('targetedAdUnits'),
    excludedAdUnits: units('excludedAdUnits'),
    targetedPlacements: [...textsOf(inventory, 'targetedPlacements')].sort(),
    custom: clauses.map((clause) =>
      messagesOf(clause, 'customTargetingLiterals')
        .map((each) => [each.customTargetingKey, each.negative === true, [...textsOf(each, 'customTargetingValues')].sort()])
        .map((each) => JSON.stringify(each))
        .sort(),
    ),
  }
}

/** Browsers, positions and content bundles that a targeting names, each undefined where it names none. */
export function comparablePlaces(targeting: Message | undefined) {
  const named = (message: Message | undefined, name: string) => {
    const names = textsOf(message, name)
    return names.length === 0 ? undefined : [...names].sort()
  }
  const positions = messagesOf(messageOf(targeting, 'videoPositionTargeting'), 'videoPositions')
  return {
    browsers: named(messageOf(messageOf(targeting, 'technologyTargeting'), 'browserTargeting'), 'targetedBrowsers'),
    videoPositions: positions.length === 0 ? undefined : positions.map((each) => String(each.positionType)).sort(),
    contentBundles: named(messageOf(targeting, 'contentTargeting'), 'targetedContentBundles'),
  }
}

/** Everything else that a targeting can have, without what is empty: the network completes some of it by itself, people may add more. */
export function otherTargeting(targeting: Message | undefined): unknown {
  const {
    geoTargeting: _geo,
    inventoryTargeting: _inventory,
    customTargeting: _custom,
    [DAYPARTS]: _hours,
    technologyTargeting,
    ...rest
  } = targeting ?? {}
  const {
    deviceCategoryTargeting: _device,
    operatingSystemTargeting: _system,
    browserLanguageTargeting: _language,
    ...technology
  } = messageOf({ technologyTargeting }, 'technologyTargeting') ?? {}
  return withoutEmpty({ ...rest, technologyTargeting: technology }) ?? {}
}

/** A JSON value without empty lists and objects in it; undefined when nothing is left. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((each) => withoutEmpty(each) === undefined) ? undefined : value
  if (!isObject(value)) return value
  const left = Object.entries(value).flatMap(([name, member]) => {
    const kept = withoutEmpty(member)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return left.length === 0 ? undefined : Object.fromEntries(left)
}
