"""What CoSee is compared with: one reading of chosen evidence, several readings, a conversation without a board."""
