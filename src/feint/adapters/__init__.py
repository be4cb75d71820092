"""Where others' programs meet ours: environments for their learners, and strategies and players in their terms.

Each file here needs a library that Feint itself does without, and says so in a sentence where it is not installed.
"""
