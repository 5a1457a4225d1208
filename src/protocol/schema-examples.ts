import type { SchemaPlace } from './schema-places.ts'

/** Examples that say more than the least that a schema demands, by the place of the value. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'core/duration.json#': '{"interval": 1, "unit": "days"}',
  'core/frequency-cap.json#': '{"max_impressions": 3, "per": "individuals", "window": {"interval": 1, "unit": "days"}}',
  // Which systems a country has is a condition of the schema: the first country and the first system are of two.
  'core/postal-area.json#': '{"country": "US", "system": "zip", "values": ["10001"]}',
}
/** The example of a value at a place, where one is written down. */
export function exampleAtPlace(place: SchemaPlace): string | undefined {
  return place.places.map((each) => EXAMPLES[each]).find((each) => each !== undefined)
}

/** The same for members whose schema has no place of its own, by the place of the object around them. */
const EXAMPLES_OF_MEMBERS: Readonly<Record<string, string>> = {
  'core/format-id.json#agent_url': 'the agent_url that list_creative_formats shows beside the id',
  'core/creative-asset.json#assets':
    'an object by the slots of the format, such as {"image": {"asset_type": "image", "url": "https://host.example/path", "width": 300, "height": 250}}',
}

/** What a member that is missing from the object at a place looks like, where that says more than its schema. */
export function exampleOfMember(place: SchemaPlace | undefined, name: unknown): string | undefined {
  return place?.places.map((each) => EXAMPLES_OF_MEMBERS[`${each}${name}`]).find((each) => each !== undefined)
}
