import type { TargetingOverlay } from '../../product/targeting-overlay.ts'
import type { ContextRules } from './offered-packages.ts'

/** What a bought package asks of contexts. Devices and hours are left to the ad server: a context says nothing of them. */
export function contextRulesOf(targeting: TargetingOverlay | undefined, placements: readonly string[]): ContextRules {
  const {
    geo_countries: countries,
    geo_countries_exclude: countriesExcluded,
    geo_regions: regions,
    geo_regions_exclude: regionsExcluded,
    keyword_targets: keywords,
    negative_keywords: keywordsExcluded,
    language,
  } = targeting ?? {}
  return {
    placements,
    ...(countries && { countries }),
    ...(countriesExcluded && { countriesExcluded }),
    ...(regions && { regions }),
    ...(regionsExcluded && { regionsExcluded }),
    ...(language && { languages: language.map((each) => each.toLowerCase().slice(0, 2)) }),
    ...(keywords && { keywords }),
    ...(keywordsExcluded && { keywordsExcluded }),
  }
}
