type Schema = Readonly<Record<string, unknown>>

/**
 * The schema in which the members of an object that are named by no pattern are held to the schema of the one pattern that there is. `assets` of
 * creatives (AdCP 3.0 core/creative-asset.json, core/creative-manifest.json) describes members of lower-case names and accepts anything under others.
 */
export function withCheckedMembers<T extends Schema>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (_name, value: unknown) => {
    const patterned = isSchema(value) && value.additionalProperties === true ? Object.values(patternsOf(value)) : []
    const [only, ...more] = patterned
    return isSchema(value) && isSchema(only) && '$ref' in only && more.length === 0
      ? { ...value, additionalProperties: only }
      : value
  })
}

function patternsOf({ patternProperties }: Schema): Schema {
  return isSchema(patternProperties) ? patternProperties : {}
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
