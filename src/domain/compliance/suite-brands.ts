import type { BrandDocument, ConversationOffering, RightsOffering } from '../brand/brands-file.ts'

/** The domain that storyboards of the official suite name where they have no brand of their own. */
const TEST_DOMAIN = 'test.example'

/** The brand that the official suite asks for without having seeded it. */
export const suiteBrand: BrandDocument = {
  brand_id: TEST_DOMAIN,
  house: { domain: TEST_DOMAIN, name: 'Test brand' },
  names: [{ en: 'Test brand' }],
  description: 'Brand of the official storyboards that name no other.',
}

/** A right of that brand that is granted at once. */
export const suiteRight: RightsOffering = {
  rights_id: 'test_brand_images',
  brand_id: TEST_DOMAIN,
  name: 'Images of the test brand',
  description: 'Image generation and commercial use in advertising, for tests.',
  right_type: 'brand_ip',
  available_uses: ['likeness', 'commercial', 'endorsement', 'ai_generated_image'],
  pricing_options: [
    {
      pricing_option_id: 'test_images_month',
      model: 'flat_rate',
      price: 250,
      currency: 'USD',
      uses: ['likeness', 'commercial', 'endorsement', 'ai_generated_image'],
      period: 'monthly',
      impression_cap: 1_000_000,
    },
  ],
  clearance: { generation_providers: [{ provider: 'test-studio' }] },
}

/** The offering that the runner opens a conversation about when a storyboard names none. */
export const suiteOffering: ConversationOffering = {
  offering_id: 'e2e-test-offering',
  brand_id: TEST_DOMAIN,
  summary: 'A conversation for tests that name no offering of their own.',
  tagline: 'Ask about the test product.',
  landing_url: `https://${TEST_DOMAIN}/`,
  products: [
    {
      product_id: 'test_brochure',
      name: 'Test brochure',
      description: 'A page to read.',
      url: `https://${TEST_DOMAIN}/brochure`,
    },
  ],
}
