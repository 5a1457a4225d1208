import type { Message } from './client.ts'
import { DAYPARTS } from './dayparts.ts'
import { countOf, idOf, messageOf, messagesOf, textOf, textsOf } from './messages.ts'
import { type SoapParameters, typed } from './soap-elements.ts'

/**
 * A targeting of the REST API as the SOAP API has it, whose members name ids instead of resources, in the order of its schema. Its members are those that `gamTargeting`
 * writes: both APIs are given one mapping.
 */
export function soapTargeting(targeting: Message): SoapParameters {
  const geo = messageOf(targeting, 'geoTargeting')
  const inventory = messageOf(targeting, 'inventoryTargeting')
  const technology = technologyOf(messageOf(targeting, 'technologyTargeting'))
  const hours = messageOf(targeting, DAYPARTS)
  const bundles = textsOf(messageOf(targeting, 'contentTargeting'), 'targetedContentBundles')
  const positions = messagesOf(messageOf(targeting, 'videoPositionTargeting'), 'videoPositions')
  const clauses = messagesOf(messageOf(targeting, 'customTargeting'), 'customTargetingClauses')
  return {
    ...(geo && {
      geoTargeting: { targetedLocations: ids(geo, 'targetedGeos'), excludedLocations: ids(geo, 'excludedGeos') },
    }),
    inventoryTargeting: {
      targetedAdUnits: unitsOf(inventory, 'targetedAdUnits'),
      ...(messagesOf(inventory, 'excludedAdUnits').length > 0 && { excludedAdUnits: unitsOf(inventory, 'excludedAdUnits') }),
      targetedPlacementIds: textsOf(inventory, 'targetedPlacements').map(idOf),
    },
    ...(hours && { [DAYPARTS]: { dayParts: messagesOf(hours, 'dayParts').map(dayPart), timeZone: textOf(hours, 'timeZone') } }),
    ...(technology && { technologyTargeting: technology }),
    ...(clauses.length > 0 && { customTargeting: anyOf(clauses) }),
    ...(bundles.length > 0 && { contentTargeting: { targetedVideoContentBundleIds: bundles.map(idOf) } }),
    ...(positions.length > 0 && {
      videoPositionTargeting: {
        targetedPositions: positions.map((each) => ({ videoPosition: { positionType: textOf(each, 'positionType') } })),
      },
    }),
  }
}

function unitsOf(inventory: Message | undefined, name: string): readonly SoapParameters[] {
  return messagesOf(inventory, name).map(({ adUnit, includeDescendants }) => ({
    adUnitId: idOf(String(adUnit)),
    includeDescendants: includeDescendants === true,
  }))
}

function dayPart(part: Message): SoapParameters {
  const timeOf = (name: string) => {
    const time = messageOf(part, name)
    return { hour: countOf(time, 'hour'), minute: textOf(time, 'minute') }
  }
  return { dayOfWeek: textOf(part, 'dayOfWeek'), startTime: timeOf('startTime'), endTime: timeOf('endTime') }
}

function ids(message: Message, name: string): readonly SoapParameters[] {
  return textsOf(message, name).map((each) => ({ id: idOf(each) }))
}

function technologyOf(technology: Message | undefined): SoapParameters | undefined {
  const [browser, language, device, system] = [
    ...['browserTargeting', 'browserLanguageTargeting', 'deviceCategoryTargeting', 'operatingSystemTargeting'],
  ].map((name) => messageOf(technology, name))
  if (!browser && !language && !device && !system) return undefined
  return {
    ...(browser && { browserTargeting: { isTargeted: true, browsers: ids(browser, 'targetedBrowsers') } }),
    ...(language && {
      browserLanguageTargeting: { isTargeted: true, browserLanguages: ids(language, 'targetedBrowserLanguages') },
    }),
    ...(device && {
      deviceCategoryTargeting: {
        targetedDeviceCategories: ids(device, 'targetedCategories'),
        excludedDeviceCategories: ids(device, 'excludedCategories'),
      },
    }),
    ...(system && {
      operatingSystemTargeting: { isTargeted: true, operatingSystems: ids(system, 'targetedOperatingSystems') },
    }),
  }
}

/** Clauses of which one has to match, each with literals that all have to. */
function anyOf(clauses: readonly Message[]): SoapParameters {
  return {
    logicalOperator: 'OR',
    children: clauses.map((clause) => ({
      ...typed('CustomCriteriaSet'),
      logicalOperator: 'AND',
      children: [
        ...messagesOf(clause, 'customTargetingLiterals').map((literal) => ({
          ...typed('CustomCriteria'),
          keyId: idOf(String(literal.customTargetingKey)),
          valueIds: textsOf(literal, 'customTargetingValues').map(idOf),
          operator: literal.negative === true ? 'IS_NOT' : 'IS',
        })),
        ...messagesOf(clause, 'audienceSegmentTargetings').map((audience) => ({
          ...typed('AudienceSegmentCriteria'),
          operator: audience.negative === true ? 'IS_NOT' : 'IS',
          audienceSegmentIds: textsOf(audience, 'audienceSegments').map(idOf),
        })),
      ],
    })),
  }
}
