/** The typed dimensions of a revision that are read here (AdCP 3.2 capabilities, `media_buy.proposal_refinement`). */
export const REFINEMENT_SUPPORT = {
  supported_dimensions: ['total_budget', 'cpm', 'flight', 'product_changes', 'alternatives'],
  max_alternatives: 5,
} as const
