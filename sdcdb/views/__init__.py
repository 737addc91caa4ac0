"""From a policy to protected views: check, fit, plan, SQL, catalogue, and the copy that is released."""
